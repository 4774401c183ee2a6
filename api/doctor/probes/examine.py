"""All probes, in the order in which they look.

A probe that finds nothing says nothing; one that should have answered and did not leaves a word in `Facts.unread`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from api.doctor.facts import Facts
from api.doctor.outside import Outside
from api.doctor.probes.devices import DEVICES
from api.doctor.probes.probe import Context, NoAnswer
from api.doctor.probes.programs import PROGRAMS
from api.doctor.probes.system import SYSTEM

__all__ = ["PROBES", "examine"]

PROBES = (*SYSTEM, *DEVICES, *PROGRAMS)


def examine(
    outside: Outside, context: Context, *, skip: Sequence[str] = (), texts: Mapping[str, str] | None = None
) -> Facts:
    """The facts of a machine: every probe in order, but those in `skip`; `texts` take the place of what a probe sees."""
    facts = Facts()
    given = texts or {}
    for probe in PROBES:
        if probe.name in skip:
            continue
        try:
            text = given[probe.name] if probe.name in given else probe.collect(outside, context)
            if text is not None:
                probe.read(text, facts)
        except NoAnswer as silence:
            facts.unread[probe.name] = str(silence)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            facts.unread[probe.name] = f"what it says cannot be read ({type(error).__name__})"
    return facts
