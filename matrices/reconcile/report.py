"""What the reconciliation found, as plain values and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from matrices.catalogue import Catalogue
from matrices.reconcile.bounds import bounds, targeted
from matrices.reconcile.claims import Judged, judged
from matrices.reconcile.observed import Observations

__all__ = ["RuleOutcome", "document", "fails", "lines"]


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What the rules said about a stack that a machine really ran, beside what it did. `rules` are those that decided."""

    observation: str
    gpu: str
    verdict: str
    ran: bool
    rules: tuple[str, ...] = ()

    @property
    def contradicts(self) -> bool:
        """A kernel that ran although the rules say no, or did not although they surely say yes."""
        return self.verdict == ("no" if self.ran else "yes")


def document(catalogue: Catalogue, observations: Observations, outcomes: Sequence[RuleOutcome] = ()) -> dict[str, Any]:
    """Everything as JSON values: counts, every claim that is not untested, bounds, targets of compilers, rules."""
    found = judged(catalogue, observations)
    open_bounds = bounds(catalogue, observations)
    return {
        "data_version": catalogue.data_version,
        "observations": len(observations.rows),
        "counts": _counts(found),
        "claims": [asdict(item) | {"fails": item.fails} for item in found if item.status != "untested"],
        "bounds": {
            "open": sum(bound.state == "open" for bound in open_bounds),
            "narrowed": [asdict(bound) for bound in open_bounds if bound.state == "narrowed"],
        },
        "targets": [asdict(row) for row in targeted(catalogue, observations)],
        "rules": [asdict(outcome) | {"contradicts": outcome.contradicts} for outcome in outcomes],
    }


def _counts(found: Sequence[Judged]) -> dict[str, dict[str, int]]:
    counted: dict[str, Counter[str]] = {}
    for item in found:
        counted.setdefault(item.claim.partition(":")[0], Counter())[item.status] += 1
    names = ("confirmed", "contradicted", "untested")
    return {relation: {name: counts[name] for name in names} for relation, counts in sorted(counted.items())}


def fails(found: dict[str, Any]) -> bool:
    """Whether a claim that counts, or a rule, is contradicted."""
    return any(row["fails"] for row in found["claims"]) or any(row["contradicts"] for row in found["rules"])


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The same for people: a table of counts, then whatever needs one of them."""
    yield f"{found['observations']} observations beside data version {found['data_version']}"
    yield f"{'relation':<24}{'confirmed':>10}{'contradicted':>14}{'untested':>10}"
    for relation, counts in found["counts"].items():
        yield f"{relation:<24}{counts['confirmed']:>10}{counts['contradicted']:>14}{counts['untested']:>10}"
    sums = {name: sum(counts[name] for counts in found["counts"].values()) for name in ("confirmed", "contradicted")}
    yield f"{sums['confirmed']} claims confirmed, {sums['contradicted']} contradicted"
    for row in found["claims"]:
        if row["status"] == "contradicted":
            level = "contradiction" if row["fails"] else "known to be wrong"
            yield f"{level}: {row['claim']}: {row['message']} in {', '.join(row['observations'])}"
    yield f"bounds: {found['bounds']['open']} open, {len(found['bounds']['narrowed'])} narrowed"
    for bound in found["bounds"]["narrowed"]:
        yield f"narrowed: {bound['claim']}: {bound['first_yes']} lists it, older than {bound['claimed']}"
    for row in found["targets"]:
        if row["reason"]:
            yield f"not simple: compilers for {row['capability']}: {row['reason']}"
    for row in found["rules"]:
        if row["contradicts"]:
            did = "a kernel ran" if row["ran"] else "no kernel ran"
            said = f"the rules say {row['verdict']} ({', '.join(row['rules']) or 'no rule against it'})"
            yield f"contradiction of a rule: {row['observation']}: on {row['gpu']} {did}, {said}"
