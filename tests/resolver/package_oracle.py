"""The part of the independent judge that judges packages beside torch, by walking every release, every Python and every CUDA of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet

from matrices import model
from matrices.versions import ComputeCapability, CudaVersion

if TYPE_CHECKING:
    from tests.resolver.oracle import Drv, Oracle, Question

__all__ = ["PackageOracle", "least"]

YES, MAYBE, NO = "yes", "maybe", "no"
CLAIMS: tuple[type[Any], ...] = (
    model.PackageReleased,
    model.PackageOffers,
    model.PackageBuiltWith,
    model.PackageEmbeds,
    model.PackageNeedsCc,
    model.PackageNeedsDriver,
    model.PackageNeedsPackage,
)


def least(*answers: str) -> str:
    """The weakest of several answers."""
    return min(answers, key=[NO, MAYBE, YES].index)


def best(*answers: str) -> str:
    """The strongest of several answers."""
    return max(answers, key=[NO, MAYBE, YES].index)


class PackageOracle:
    """The judge of packages; rules and facts that torch shares come from the oracle it belongs to."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.rows = {cls: list(oracle.catalogue.claims(cls)) for cls in CLAIMS}
        having = [*oracle.needs.values(), *self.rows[model.PackageOffers]]
        self.pythons = sorted({str(python) for row in having for python in row.python})

    def about(self, cls: type[Any], package: str, version: str) -> list[Any]:
        """The claims of one kind that speak of one version."""
        key = ("about", cls, package, version)
        found: list[Any] = self.oracle.remembered(key, lambda: self.look_up(cls, package, version))
        return found

    def look_up(self, cls: type[Any], package: str, version: str) -> list[Any]:
        """The same, not remembered."""
        return [
            row
            for row in self.rows[cls]
            if row.subject == package and row.standing != "deprecated" and SpecifierSet(row.versions).contains(version)
        ]

    def beside(self, wheel: model.Wheel, question: Question, driver: Drv, os: str) -> str:
        """Whether one Python serves the wheel and a release of every package."""
        answers = [NO]
        needs = self.oracle.needs.get(wheel.id)
        for python in self.pythons:
            if question.pythons is not None and python not in question.pythons:
                continue
            if needs is not None and python not in map(str, needs.python):
                continue
            each = [self.some_release(asked, wheel, question, driver, os, python) for asked in question.packages]
            answers.append(least(*each))
        return best(*answers)

    def some_release(
        self,
        asked: tuple[tuple[str, ...], str],
        wheel: model.Wheel,
        question: Question,
        driver: Drv,
        os: str,
        python: str,
    ) -> str:
        """The best that any release of a package gives."""
        released = [row for row in self.rows[model.PackageReleased] if row.subject in asked[0]]
        versions = [(row.subject, version) for row in released for version in row.versions]
        wanted = [(name, version) for name, version in versions if SpecifierSet(asked[1]).contains(version)]
        if not wanted:
            return MAYBE
        return best(
            NO,
            *(
                self.release(name, version, wheel, question, driver, os, python)
                for name, version in wanted
                if self.leaves(name, version, question)
            ),
        )

    def leaves(self, name: str, version: str, question: Question) -> bool:
        """Whether what a release asks of the other packages leaves any of the versions that are wanted of them."""
        for row in self.about(model.PackageNeedsPackage, name, version):
            for alternatives, specifier in question.packages:
                if row.package in alternatives:
                    released = [one for one in self.rows[model.PackageReleased] if one.subject == row.package]
                    both = SpecifierSet(",".join(filter(None, [row.specifier, specifier])))
                    if not any(both.contains(text) for one in released for text in one.versions):
                        return False
        return True

    def release(
        self, name: str, version: str, wheel: model.Wheel, question: Question, driver: Drv, os: str, python: str
    ) -> str:
        """One release: its torch, its driver, then the best of its builds for the wheel's platform."""
        pins = [row for row in self.rows[model.PackageNeedsPackage] if row.subject == name and row.package == "torch"]
        mine = [row for row in self.about(model.PackageNeedsPackage, name, version) if row.package == "torch"]
        answers = [YES]
        if any(row.standing != "deprecated" for row in pins):
            fitting = [row for row in mine if SpecifierSet(row.specifier).contains(str(wheel.torch))]
            sure = any(not row.uncertain for row in fitting)
            answers.append(MAYBE if not mine else YES if sure else MAYBE if fitting else NO)
        floors = [row.driver for row in self.about(model.PackageNeedsDriver, name, version) if row.os == os]
        answers += [YES if driver.high >= floor.key else NO for floor in floors]
        offers = self.about(model.PackageOffers, name, version)
        places = [row for row in offers if (row.os, row.gpu) == (wheel.os, True) and wheel.machine in row.machines]
        builds = [self.installed(row, question, python) for row in places] if offers else [MAYBE]
        answers.append(best(NO, *builds))
        answers.append(self.some_cuda(name, version, wheel, question, driver, os, bool(pins)))
        return least(*answers)

    @staticmethod
    def installed(row: model.PackageOffers, question: Question, python: str) -> str:
        """Whether one build installs on the Python and with the C library."""
        if python not in map(str, row.python):
            return NO
        own = question.system not in ("linux", "wsl2", "*")
        if own and question.glibc is not None and row.glibc is not None:
            if [int(part) for part in row.glibc.split(".")] > [int(part) for part in question.glibc.split(".")]:
                return NO
        return MAYBE if row.uncertain else YES

    def some_cuda(
        self, name: str, version: str, wheel: model.Wheel, question: Question, driver: Drv, os: str, bound: bool
    ) -> str:
        """The best of the CUDA releases it is built for; nothing to choose where none plays a part."""
        any_built = any(
            row.subject == name and row.standing != "deprecated" for row in self.rows[model.PackageBuiltWith]
        )
        rows = [
            row
            for row in self.about(model.PackageBuiltWith, name, version)
            if wheel.machine in row.machines and wheel.os in row.os
        ]
        if not rows:
            answer = self.on_gpus(name, version, None, wheel, question, driver)
            return least(answer, MAYBE if any_built else YES)
        answers = [NO]
        torch = self.oracle.built[wheel.id].cuda.release
        for row in rows:
            for cuda in row.cuda:
                if bound and self.nearest(row, torch) != cuda.release:
                    continue
                works = least(
                    self.oracle.runs(driver, cuda, os),
                    self.on_gpus(name, version, cuda, wheel, question, driver),
                    MAYBE if row.uncertain else YES,
                )
                answers.append(works)
        return best(*answers)

    @staticmethod
    def nearest(row: model.PackageBuiltWith, torch: CudaVersion) -> CudaVersion | None:
        """The CUDA of a package that is loaded beside a torch of another."""
        made = sorted(cuda.release for cuda in row.cuda if cuda.major == torch.major)
        if torch in made or row.exact:
            return torch if torch in made else None
        below = [cuda for cuda in made if cuda < torch]
        return below[-1] if below else made[0] if made else None

    def on_gpus(
        self, name: str, version: str, cuda: CudaVersion | None, wheel: model.Wheel, question: Question, driver: Drv
    ) -> str:
        """Every GPU counts."""
        gpus = [ComputeCapability.parse(text) for text in question.capabilities]
        return least(YES, *(self.on_gpu(name, version, cuda, wheel, gpu, driver) for gpu in gpus))

    def on_gpu(
        self, name: str, version: str, cuda: CudaVersion | None, wheel: model.Wheel, gpu: ComputeCapability, driver: Drv
    ) -> str:
        """Every library that counts must have code; where none was looked into, only a closed range says yes."""
        asks = self.about(model.PackageNeedsCc, name, version)
        against = [row for row in asks if gpu < row.minimum or (row.maximum is not None and gpu > row.maximum)]
        if any(not row.uncertain for row in against):
            return NO
        held = [
            row
            for row in self.about(model.PackageEmbeds, name, version)
            if not row.optional
            and wheel.machine in row.machines
            and wheel.os in row.os
            and (not row.cuda or (cuda is not None and cuda.release in row.cuda))
        ]
        if held:
            answer = least(*(self.in_library(row, cuda, gpu, driver) for row in held))
        else:
            closed = [row for row in asks if row.maximum is not None]
            answer = YES if any(not row.uncertain for row in closed) else MAYBE
        return least(answer, MAYBE if against else YES)

    def in_library(
        self, row: model.PackageEmbeds, cuda: CudaVersion | None, gpu: ComputeCapability, driver: Drv
    ) -> str:
        """Machine code runs, PTX where the driver compiles it; where nobody looked for PTX there may be some."""
        oracle, answer = self.oracle, NO
        made = CudaVersion.parse("0.0") if cuda is None else cuda.release  # not known: every exception holds
        if any(oracle.sass(target, gpu, made) for target in row.sass):
            answer = YES
        elif any(oracle.ptx(target, gpu) for target in row.ptx or ()):
            answer = MAYBE if cuda is None else oracle.natively(driver, cuda)
        elif row.uncertain or (row.ptx is None and any(oracle.ptx(target, gpu) for target in row.sass)):
            answer = MAYBE
        return least(answer, MAYBE if row.uncertain else YES)
