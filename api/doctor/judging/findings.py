"""What was found about a machine, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Finding", "Judged", "Verdict"]

Verdict = Literal["ok", "info", "warning", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: what, how bad, and what mends it.

    Attributes:
        id: a name that does not change: `driver`, `torch`, ...
        steps: sentences and commands in order, a command as `$ command`.
        symptom: the cause of `whichcuda ask`, where it is one.
        because: rules and claims of the resolver.
    """

    id: str
    verdict: Verdict
    text: str
    steps: tuple[str, ...] = ()
    symptom: str | None = None
    because: tuple[dict[str, Any], ...] = ()

    def plain(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.id,
            "verdict": self.verdict,
            "text": self.text,
            "steps": list(self.steps),
            "symptom": self.symptom,
            "because": list(self.because),
        }


@dataclass(slots=True)
class Judged:
    """All findings, and the stacks that fit the machine (None where none is known)."""

    findings: list[Finding]
    resolved: dict[str, Any] | None
    data_version: str

    @property
    def verdict(self) -> Literal["yes", "no", "unknown"]:
        """no with an error, unknown where something could not be judged, else yes."""
        found = {finding.verdict for finding in self.findings}
        return "no" if "error" in found else "unknown" if "unknown" in found else "yes"
