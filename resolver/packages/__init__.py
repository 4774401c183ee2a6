"""Packages asked for beside torch: which of their releases go with a build, the GPUs, a driver and a Python.

The solver gets masks over builds (`masks`); for the few builds that are shown or explained the same judgement comes with its
reasons (`judging`, `plans`, `refusals`).
"""

from __future__ import annotations

from resolver.index import Index
from resolver.judge import Judge
from resolver.packages.code import Codes
from resolver.packages.fit import Fit
from resolver.packages.judging import Judging, Pick
from resolver.packages.masks import PackageMasks
from resolver.packages.plans import Plan, Plans
from resolver.packages.refusals import Refusals

__all__ = ["Packages", "Pick", "Plan"]


class Packages:
    """Judgements about packages over one index, by what they are for."""

    def __init__(self, index: Index, judge: Judge) -> None:
        codes = Codes(index)
        self.fit = Fit(index)
        self.masks = PackageMasks(index, judge, self.fit, codes)
        self.judging = Judging(index, judge, self.fit, codes)
        self.plans = Plans(index, self.judging)
        self.refusals = Refusals(index, self.judging)
