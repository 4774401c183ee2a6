"""Judging an image by its reference: does the tag exist, and does what is inside fit GPU and driver."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from matrices.model import Coverage, ImageRepository, ImageTagLaw
from matrices.versions import CudaVersion, InvalidVersion
from resolver.errors import InvalidRequest
from resolver.imagegate import Gate
from resolver.images import Images, ImageSet
from resolver.index import Index
from resolver.judge import Judge, Reason
from resolver.query import Query, Subject
from resolver.rules import Driver, Verdict

__all__ = ["ImageJudge", "split_reference"]

_REFERENCE = re.compile(
    r"(?P<repository>[a-z0-9][a-z0-9._-]*(?::\d{1,5}(?=/))?(?:/[a-z0-9][a-z0-9._-]*){0,5})"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@sha256:[0-9a-f]{64})?"
)


def split_reference(reference: str) -> tuple[str, str]:
    """Repository and tag of an image reference; without a tag it is `latest`, as for any container engine.

    Raises:
        InvalidRequest: when it is not a reference.

    >>> split_reference("docker.io/nvidia/cuda:12.8.1-base-ubuntu24.04")
    ('nvidia/cuda', '12.8.1-base-ubuntu24.04')
    """
    match = _REFERENCE.fullmatch(reference.strip()) if len(reference) <= 400 else None
    if match is None:
        raise InvalidRequest("an image is written `repository:tag`", field="image", given=reference)
    repository = match["repository"]
    for prefix in ("docker.io/", "index.docker.io/", "library/"):
        repository = repository.removeprefix(prefix)
    return repository, match["tag"] or "latest"


class ImageJudge:
    """Judges references over one index."""

    def __init__(self, index: Index, images: Images) -> None:
        self.index = index
        self.images = images
        self.gate = Gate(index)
        self.laws: dict[str, list[ImageTagLaw]] = {}
        for law in index.catalogue.claims(ImageTagLaw):
            self.laws.setdefault(law.subject, []).append(law)
        self.mirrors = {
            mirror: repository.id
            for repository in index.catalogue.entities(ImageRepository).values()
            for mirror in repository.mirrors
        }

    def judge(self, reference: str, query: Query, judge: Judge) -> list[Reason]:
        """What is to be said about an image: its existence first, then what is inside against the stack."""
        repository, tag = split_reference(reference)
        if "@" in reference:
            return [Reason("image-digest", "image-exists", "unknown", (), {"image": f"{repository}:{tag}"})]
        home = self.mirrors.get(repository, repository)
        shown = f"{repository}:{tag}"
        found = self.images.by_reference.get(f"{home}:{tag}")
        if found is None:
            return [self._unlisted(home, tag, shown)]
        return [
            self._exists(found, shown),
            *self._platform(found, shown, query),
            *self._inside(found, shown, query, judge),
        ]

    def _platform(self, found: ImageSet, shown: str, query: Query) -> Iterable[Reason]:
        machines = found.exists.machines if found.exists else ()
        if machines and query.machine not in machines and (query.machine_asked or query.subjects):
            values = {"image": shown, "machines": " and ".join(machines), "machine": query.machine}
            claims = (found.exists,) if found.exists else ()
            yield Reason("image-machine", "platform", "no", claims, values)

    def _exists(self, found: ImageSet, shown: str) -> Reason:
        claim = found.exists
        values: dict[str, Any] = {
            "image": shown,
            "cuda": found.cuda or "no stated version",
            "why": "it was never pushed",
        }
        if claim is None or claim.uncertain:
            return Reason("image-unknown", "image-exists", "unknown", (claim,) if claim else (), values)
        if claim.status == "exists":
            return Reason("image", "image-exists", "yes", (claim,), values)
        kind = "image-removed" if claim.status == "removed" else "image-never"
        return Reason(kind, "image-exists", "no", (claim,), values)

    def _inside(self, found: ImageSet, shown: str, query: Query, judge: Judge) -> Iterable[Reason]:
        held = found.contains
        if found.cuda is not None and query.driver is not None:
            yield from self._driven(found, found.cuda, query.driver, query, judge)
        if found.image.role not in ("cuda", "pytorch"):
            yield from (self._framework(found, shown, subject) for subject in query.subjects)
        if found.image.role == "cuda" and found.cuda is not None:
            yield from self._toolkit(found.cuda, shown, query, judge)
        yield from self._held(found, shown, query)
        if held is None or held.torch is None or found.image.role != "pytorch":
            return
        for build in self.index.builds:
            same = (
                str(build.wheel.torch) == held.torch
                and found.cuda is not None
                and build.cuda.release == found.cuda.release
            )
            if same and build.wheel.os == "linux" and build.wheel.machine == query.machine:
                native: Verdict | None = None
                if query.driver is not None:
                    native = self.index.drivers.runs(query.driver, build.cuda, query.driver_os).natively
                yield from (judge.kernels(build, subject, native) for subject in query.subjects)

    def _driven(
        self, found: ImageSet, cuda: CudaVersion, driver: Driver, query: Query, judge: Judge
    ) -> Iterable[Reason]:
        """Whether the driver runs the image's CUDA, by itself or through cuda-compat, and what the gate says."""
        runs = judge.runs(driver, cuda, query.driver_os)
        ways = [self.gate.compat(found, query, subject) for subject in query.subjects] if runs.verdict == "no" else []
        if ways and all(ways):
            yield from (way for way in ways if way is not None)
            return
        yield runs
        if runs.verdict == "yes":
            yield from self.gate.judge(found, query)

    def _toolkit(self, cuda: CudaVersion, shown: str, query: Query, judge: Judge) -> Iterable[Reason]:
        """A CUDA image against GPUs: some driver must do for both, a compiler inside must know them, libraries may not."""
        for subject in query.subjects:
            if query.driver is None and not self._some_driver(cuda, subject, query.driver_os):
                values = {"gpu": subject.name, "cuda": str(cuda.release)}
                yield Reason("no-driver-for-both", "drives", "no", (), values)
            target = judge.targets(cuda, subject)
            if "-devel" in shown:
                yield target
            elif "-base" not in shown and target.verdict == "no":
                yield self._unlooked(None, shown, subject)

    def _some_driver(self, cuda: CudaVersion, subject: Subject, os: str) -> bool:
        drivers = [facts.driver(os) for facts in self.index.drivers.branches.values()]
        return any(
            self.index.drivers.drives(driver, subject.capability, os)[0] != "no"
            and self.index.drivers.runs(driver, cuda, os).verdict != "no"
            for driver in drivers
        )

    @staticmethod
    def _held(found: ImageSet, shown: str, query: Query) -> Iterable[Reason]:
        """The Python and torch inside, where the stack names others."""
        held = found.contains
        if held is None:
            return
        if query.python is not None and held.python is not None:
            inside = ".".join(held.python.split(".")[:2])
            fits = inside in map(str, query.python.allowed)
            values = {"image": shown, "what": "Python", "has": inside, "wanted": query.python.plain}
            yield Reason(
                "image-holds" if fits else "image-holds-not", "python", "yes" if fits else "no", (held,), values
            )
        if query.torch is not None and held.torch is not None:
            fits = held.torch in map(str, query.torch.allowed)
            values = {"image": shown, "what": "torch", "has": held.torch, "wanted": query.torch.plain}
            yield Reason(
                "image-holds" if fits else "image-holds-not", "published", "yes" if fits else "no", (held,), values
            )

    def _framework(self, found: ImageSet, shown: str, subject: Subject) -> Reason:
        """Whether an image with a framework has code for a GPU: by its own least capability, by those of its line, by the
        compiler it was made with."""
        values = {"image": shown, "gpu": subject.name, "capability": str(subject.capability)}
        before, after = self.images.line(found)
        if before is not None and subject.capability < before.minimum:
            kind = "image-too-new" if before is found.needs else "image-line-left"
            return Reason(kind, "image-line", "no", (before,), values | {"minimum": str(before.minimum)})
        compiler = self.index.targets.toolkits.get(str(found.cuda.release)) if found.cuda else None
        if compiler is not None and not compiler.uncertain:
            targets, capability = self.index.targets, subject.capability
            own = any(target.capability == capability for target in compiler.sass)
            if not targets.makes_sass(compiler, capability) and not targets.makes_ptx(compiler, capability):
                return Reason("targets-not", "toolkit-targets", "no", (compiler,), values | {"cuda": compiler.subject})
            if own and after is not None and subject.capability >= after.minimum:
                kind = "image-takes" if after is found.needs else "image-line-takes"
                return Reason(kind, "image-line", "yes", (after,), values | {"minimum": str(after.minimum)})
        return self._unlooked(found, shown, subject)

    @staticmethod
    def _unlooked(found: ImageSet | None, shown: str, subject: Subject) -> Reason:
        values = {"image": shown, "gpu": subject.name, "capability": str(subject.capability)}
        claims = (found.contains,) if found is not None and found.contains else ()
        return Reason("image-gpus-unknown", "toolkit-targets", "unknown", claims, values)

    def _closed(self, repository: str, cuda: CudaVersion) -> bool:
        """Whether every tag of a repository for a CUDA would be in the data."""
        rows = self.index.catalogue.entities(Coverage).values()
        return any(row.table == "image" and repository in row.repository and cuda in row.cuda for row in rows)

    def _unlisted(self, repository: str, tag: str, shown: str) -> Reason:
        """A tag that no row lists: never, where it breaks its repository's law of spelling; else not known."""
        laws = self.laws.get(repository, [])
        cuda, parts = _leading_version(tag)
        law = next((law for law in laws if cuda is not None and _within(law, cuda)), None)
        why = None
        if laws and cuda is None:
            why = "tags begin with a CUDA version"
            law = laws[-1]
        elif law is not None and cuda is not None:
            why = _broken(law, cuda, parts, tag)
            if why is None and self._closed(repository, cuda):
                why = f"no list of the tags for CUDA {cuda} has it"
        if law is None or why is None:
            return Reason("image-unknown", "image-exists", "unknown", (law,) if law else (), {"image": shown})
        return Reason("image-never", "image-exists", "no", (law,), {"image": shown, "why": why})


def _leading_version(tag: str) -> tuple[CudaVersion | None, int]:
    """The CUDA version a tag begins with and how many parts it is written in."""
    head = tag.split("-", 1)[0]
    try:
        return CudaVersion.parse(head), head.count(".") + 1
    except InvalidVersion:
        return None, 0


def _within(law: ImageTagLaw, cuda: CudaVersion) -> bool:
    return law.cuda_from.release <= cuda.release and (law.cuda_to is None or cuda.release <= law.cuda_to.release)


def _broken(law: ImageTagLaw, cuda: CudaVersion, parts: int, tag: str) -> str | None:
    """Which law a tag breaks, in words; None when it is spelled as one that may exist."""
    words = tag.split("-")[1:]
    if parts != law.version_parts:
        return f"from CUDA {law.cuda_from} on the version has {law.version_parts} parts, such as {cuda.release}.0"
    if any(never in (cuda, cuda.release) for never in law.never_pushed):
        return f"no image was pushed for CUDA {cuda}"
    if not words or (law.distro == "required" and (words[-1] in law.flavors or words[-1] in law.cudnn_tokens)):
        return "a tag ends in a distribution, such as ubuntu22.04"
    token = next((word for word in words if word.startswith("cudnn")), None)
    if token is not None and token not in law.cudnn_tokens:
        return f"with CUDA {cuda} the cuDNN part is spelled {' or '.join(law.cudnn_tokens) or 'not at all'}"
    if token is not None and law.cudnn_flavors and not set(words) & set(law.cudnn_flavors):
        return f"cuDNN comes with {' and '.join(law.cudnn_flavors)} images only"
    if token is not None and cuda in law.without_cudnn:
        return f"CUDA {cuda} has no images with cuDNN"
    if token is not None and words[-1] in law.distros_without_cudnn:
        return f"there are no images with cuDNN on {words[-1]}"
    return None
