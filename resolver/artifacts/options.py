"""What may be said about a file beyond the question: each option with its choices or its pattern, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from resolver.artifacts.bases import KINDS
from resolver.artifacts.patterns import fits
from resolver.errors import InvalidRequest

__all__ = ["OPTIONS", "Option", "read"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a choice among words, or a text of a kind in `patterns`, which `about` describes."""

    about: str
    choices: tuple[str, ...] = ()
    pattern: str = ""


OPTIONS: dict[str, Option] = {
    "base": Option("the family of the base image", choices=KINDS),
    "workload": Option("`build` adds the compiler", choices=("run", "build")),
    "name": Option(
        "what the result is called: lower-case letters, digits and dashes, from a letter", pattern="dns_label"
    ),
    "image": Option("the name of the built image, with a tag other than `latest` or with a digest", pattern="image"),
    "kind": Option("the object that is made", choices=("pod", "job")),
    "count": Option("how many GPUs, or instances of one, each container gets: 1 to 99", pattern="count"),
    "mig": Option("an instance of a GPU instead of a whole one, such as `1g.10gb`", pattern="mig_profile"),
    "runtime_class": Option("the RuntimeClass, where the cluster wants one", pattern="dns_label"),
}


def read(kind: str, defaults: Mapping[str, str | None], given: Mapping[str, str]) -> dict[str, str | None]:
    """The options of a kind of file: those given, else their defaults; None stands for one that was left out.

    Raises:
        InvalidRequest: for an option that the kind does not have, or a value that is not of its form.
    """
    found = dict(defaults)
    for name, value in given.items():
        if name not in defaults:
            takes = ", ".join(f"`{known}`" for known in defaults) or "none"
            message = f"`{kind}` has no option `{name}`; it takes {takes}"
            raise InvalidRequest(message, field=name, given=value, candidates=tuple(defaults))
        option = OPTIONS[name]
        if option.choices and value not in option.choices:
            message = f"`{name}` is one of {', '.join(option.choices)}"
            raise InvalidRequest(message, field=name, given=value, candidates=option.choices)
        if option.pattern and not fits(value, option.pattern):
            raise InvalidRequest(f"`{name}` is {option.about}", field=name, given=value)
        found[name] = value
    return found
