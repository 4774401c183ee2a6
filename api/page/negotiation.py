"""What a client wants to see: HTML or data, English or Chinese."""

from __future__ import annotations

from resolver.words import Language

__all__ = ["language_of", "wants_html"]


def _weights(header: str) -> dict[str, float]:
    """The weight of each member of an Accept header, in its order.

    >>> _weights("text/html, application/json;q=0.5, */*;q=x")
    {'text/html': 1.0, 'application/json': 0.5, '*/*': 0.0}
    """
    found: dict[str, float] = {}
    for part in header.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weight = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                try:
                    weight = float(value)
                except ValueError:
                    weight = 0.0
        if name:
            found.setdefault(name, weight)
    return found


def wants_html(accept: str) -> bool:
    """Whether a client asks for HTML by name, and not for JSON before it; a bare `*/*` gets data.

    >>> wants_html("text/html,application/xhtml+xml,*/*;q=0.8"), wants_html("*/*"), wants_html("application/json")
    (True, False, False)
    """
    weights = _weights(accept)
    html = weights.get("text/html", 0.0)
    return html > 0 and html >= weights.get("application/json", 0.0)


def language_of(asked: str | None, accepted: str) -> Language:
    """The language asked for in the address, else the first of the two that a client accepts, else English.

    >>> language_of(None, "fr, zh-CN;q=0.8, en;q=0.5"), language_of("en", "zh"), language_of("xx", "")
    ('zh', 'en', 'en')
    """
    if asked in ("zh", "en"):
        return "zh" if asked == "zh" else "en"
    weights = sorted(_weights(accepted).items(), key=lambda item: -item[1])
    for name, weight in weights:
        primary = name.partition("-")[0]
        if weight > 0 and primary in ("zh", "en"):
            return "zh" if primary == "zh" else "en"
    return "en"
