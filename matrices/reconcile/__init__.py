"""Observations against claims: each claim that an observation can speak about is confirmed, contradicted or untested.

A claim of standing `deprecated` may be contradicted: that is why it is deprecated. Nothing is written here; what the
observations say about a boundary is shown beside the claim, and a person decides.
"""

from __future__ import annotations

from matrices.reconcile.claims import Judged, judged
from matrices.reconcile.observed import OBSERVATIONS, Observations

__all__ = ["OBSERVATIONS", "Judged", "Observations", "judged"]
