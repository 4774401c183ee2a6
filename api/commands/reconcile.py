"""`reconcile`: what was observed, beside what is claimed and beside what the rules say."""

from __future__ import annotations

import argparse

from api.commands.answers import print_json
from matrices.reconcile.observed import OBSERVATIONS, Observations
from matrices.reconcile.report import document, fails, lines
from resolver.engine import Engine
from resolver.reconcile import outcomes

__all__ = ["reconcile"]


def reconcile(options: argparse.Namespace) -> int:
    """Compare and show; 1 when an observation contradicts a claim that counts, or a rule."""
    engine = Engine.load()
    observations = Observations.load(options.observations or OBSERVATIONS)
    found = document(engine.catalogue, observations, list(outcomes(engine, observations)))
    if options.json:
        print_json(found)
    else:
        print("\n".join(lines(found)))
    return 1 if fails(found) else 0
