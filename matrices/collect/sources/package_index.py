"""The package index: torch, its companions and the CUDA packages (the JSON of the simple API, PEP 691)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

from matrices.catalogue import Catalogue
from matrices.collect.door import PageMissing, Pages
from matrices.collect.metadata import Requirements, read_requirements
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.collect.wheelnames import Build, gather
from matrices.model import ToolkitReleased, TorchPairsWith, Wheel
from matrices.versions import CudaVersion, InvalidVersion

__all__ = ["File", "collect", "expected", "parse"]

COMPANIONS = ("torchvision", "torchaudio")
CUDA = ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc", "nvidia-cuda-nvcc-cu12")
LIBRARIES = ("nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-nccl-cu12", "nvidia-nccl-cu13")
RECENT = 2  # minors of torch whose METADATA is read again although they are known: what a release asks for stays
_JSON = {"Accept": "application/vnd.pypi.simple.v1+json"}


@dataclass(frozen=True, slots=True)
class File:
    """A file that a project lists. `address` is as the page writes it; `uploaded` is a day as ISO text."""

    name: str
    address: str
    version: Version
    uploaded: str | None
    yanked: bool


def parse(page: bytes, project: str) -> list[File]:
    """The files of a project, in the page's order; a file whose name says no version is left out.

    Raises:
        Unrecognised: when the page is no PEP 691 page of that project, or lists no file.
    """
    try:
        listed = json.loads(page)
        files = [
            File(
                item["filename"],
                item["url"],
                version,
                (item.get("upload-time") or "")[:10] or None,
                item.get("yanked", False) is not False,
            )
            for item in listed["files"]
            if (version := _version(item["filename"])) is not None
        ]
        named = listed.get("name", project)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unrecognised(f"{project}.json: not a page of the simple API") from error
    if named != project or not files:
        raise Unrecognised(f"{project}.json: {len(files)} files of {named}")
    return files


def _version(file: str) -> Version | None:
    try:
        return parse_wheel_filename(file)[1] if file.endswith(".whl") else parse_sdist_filename(file)[1]
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None


def collect(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Ask for each project and, of recent and of new torch releases, for the METADATA of one wheel a platform."""
    return _Collector(pages, catalogue).parsed()


def expected(catalogue: Catalogue, parsed: Parsed) -> list[str]:
    """The wheels that are held to be on the package index, and the releases they belong to."""
    wheels = [wheel for wheel in catalogue.entities(Wheel).values() if wheel.channel == "package-index"]
    return sorted({f"wheel:{wheel.id}" for wheel in wheels} | {f"torch:{wheel.torch}" for wheel in wheels})


class _Collector:
    """One run: the pages it reads, and what it has to say besides rows."""

    def __init__(self, pages: Pages, catalogue: Catalogue) -> None:
        self._pages = pages
        self._catalogue = catalogue
        self._projects: dict[str, list[File]] = {}
        self._unmatched: list[str] = []

    def parsed(self) -> Parsed:
        rows = [*self._torch(), *self._toolkits()]
        return Parsed(tuple(rows), tuple(dict.fromkeys(self._unmatched)))

    def _project(self, name: str) -> list[File]:
        """The files of a project that were not yanked."""
        if name not in self._projects:
            files = parse(self._pages.page(f"{name}.json", f"index:{name}", _JSON), name)
            yanked = sorted({file.version for file in files if file.yanked})
            self._unmatched += [f"{name} {version}: yanked" for version in yanked]
            self._projects[name] = [file for file in files if not file.yanked]
        return self._projects[name]

    def _releases(self, name: str) -> list[File]:
        """The files of a project without its pre-releases. Raises `Unrecognised` when none is left."""
        files = [file for file in self._project(name) if not file.version.is_prerelease]
        if not files:
            raise Unrecognised(f"{name}.json: no release")
        return files

    def _requirements(self, project: str, file: File, build: Build) -> Requirements | None:
        """What a file asks for on the platform of `build`; None, and a word about it, where that cannot be read."""
        python = min(build.pythons, key=lambda text: int(text.rstrip("t").partition(".")[2]))
        try:
            metadata = self._pages.metadata(file.name, f"index:{project}|{file.address}")
            return read_requirements(metadata, os=build.os, machine=build.machine, python=python)
        except (PageMissing, Unrecognised) as error:
            self._unmatched.append(str(error))
            return None

    def _torch(self) -> Iterator[Row]:
        listed = {file.name: file for file in self._project("torch")}
        builds, others = gather(listed)
        self._unmatched += [f"torch, {other}" for other in others]
        held: dict[tuple[str, str, str, str | None], Wheel] = {
            (str(wheel.torch), wheel.os, wheel.machine, wheel.build): wheel
            for wheel in self._catalogue.entities(Wheel).values()
            if wheel.channel == "package-index"
        }
        minors = sorted({_minor(build.torch) for build in builds})
        asked: dict[str, tuple[Build, Requirements]] = {}
        for release, group in _by_release(builds).items():
            rows: list[Row] = []
            for build in group:
                number = None if build.number is None else str(build.number)
                wheel = held.get((build.torch, build.os, build.machine, number))
                file = listed[sorted(build.files)[0]]
                requirements = None
                if wheel is None or _minor(release) in minors[-RECENT:]:
                    requirements = self._requirements("torch", file, build)
                if requirements is not None and build.os == "linux":
                    asked.setdefault(release, (build, requirements))
                    self._missing(file.name, requirements)
                if wheel is not None or requirements is not None:
                    rows += _wheel(build, wheel, requirements, file.name)
            if rows:
                days = [day for build in group for name in build.files if (day := listed[name].uploaded)]
                values = {"released": min(days)} if days else {}
                yield Row("torch", release, values=values, place=group[0].files[0])
            yield from rows
        yield from self._companions(asked)

    def _missing(self, file: str, requirements: Requirements) -> None:
        """A word about each pinned library that the index does not have: the wheel cannot be installed."""
        for name, version in requirements.libraries():
            if name in LIBRARIES and not any(str(item.version) == version for item in self._project(name)):
                self._unmatched.append(f"{file}: pins {name} {version}, which the index does not have")

    def _companions(self, asked: dict[str, tuple[Build, Requirements]]) -> Iterator[Row]:
        """The companions of the releases whose METADATA was read.

        Without a pin the newest that allows the release speaks, and does not contradict another that allows it too.
        """
        held = {(pair.subject, pair.package, pair.version) for pair in self._catalogue.claims(TorchPairsWith)}
        for package in COMPANIONS if asked else ():
            offers = list(self._offers(package, asked))
            for release in asked:
                pinning = [(version, file) for version, file, specifier in offers if specifier == f"=={release}"]
                allowing = [(version, file) for version, file, specifier in offers if _allows(specifier, release)]
                fitting = pinning or [pair for pair in allowing if (release, package, str(pair[0])) in held] or allowing
                for version, file in fitting[:1]:
                    values = {"package": package, "version": str(version)}
                    yield Row("torch", release, "torch-pairs-with", values, place=file)
        for release, (build, requirements) in asked.items():
            if triton := requirements.version("triton"):
                place = sorted(build.files)[0]
                yield Row("torch", release, "torch-pairs-with", {"package": "triton", "version": triton}, place=place)

    def _offers(self, package: str, asked: dict[str, tuple[Build, Requirements]]) -> Iterator[tuple[Version, str, str]]:
        """Releases of a companion, newest first, each with a file and what it asks of torch, while they are of use."""
        files: dict[Version, File] = {}
        for file in sorted(self._releases(package), key=lambda file: file.name):
            if "manylinux" in file.name:
                files.setdefault(file.version, file)
        oldest = min(map(Version, asked))
        build = next(iter(asked.values()))[0]
        for version in sorted(files, reverse=True):
            requirements = self._requirements(package, files[version], build)
            specifier = "" if requirements is None else requirements.specifiers.get("torch", "")
            yield version, files[version].name, specifier
            if specifier.startswith("==") and Version(specifier.removeprefix("==")) < oldest:
                return

    def _toolkits(self) -> Iterator[Row]:
        """Toolkit releases, by the package that gathers one and by the packages of its runtime and its compiler."""
        held = {claim.release for claim in self._catalogue.claims(ToolkitReleased)}
        for file in self._project("cuda-toolkit"):
            release = ".".join(str(part) for part in file.version.release[:3])
            if file.version.is_prerelease or (subject := _toolkit(release)) is None:
                continue
            values = {"release": release}
            if release not in held and file.uploaded:  # the day of an old release is that of its late upload
                values["on"] = file.uploaded[:7]
            yield Row("toolkit", subject, place=file.name)
            yield Row("toolkit", subject, "toolkit-released", values, place=f"{file.name}, month of the upload")
        for package in CUDA:
            last = max(self._releases(package), key=lambda file: file.version)
            if (subject := _toolkit(str(last.version))) is not None:
                yield Row("toolkit", subject, place=last.name)
        for package in LIBRARIES:
            newest = max(file.version for file in self._releases(package))
            self._unmatched.append(f"{package}: newest {newest}; no relation holds its releases")


def _by_release(builds: Iterable[Build]) -> dict[str, list[Build]]:
    groups: dict[str, list[Build]] = defaultdict(list)
    for build in builds:
        groups[build.torch].append(build)
    return groups


def _wheel(build: Build, held: Wheel | None, requirements: Requirements | None, place: str) -> Iterator[Row]:
    """The rows of one build; what only METADATA can tell is left out where it was not read."""
    cuda = None if requirements is None else requirements.cuda
    variant = held.variant if held else "cpu" if cuda is None else CudaVersion.parse(cuda).variant
    suffix = "" if build.number is None else f"-build{build.number}"
    wheel = held.id if held else f"torch-{build.torch}+{variant}-{build.os}-{build.machine}{suffix}"
    values = {
        "torch": build.torch,
        "variant": variant,
        "os": build.os,
        "machine": build.machine,
        "channel": "package-index",
    }
    if build.number is not None:
        values["build"] = str(build.number)
    yield Row("wheel", wheel, values=values, place=place)
    yield Row("wheel", wheel, "wheel-needs", build.needs, place=place)
    if cuda is None or requirements is None:
        return
    yield Row("wheel", wheel, "wheel-built-with", {"cuda": cuda}, place=place)
    if requirements.pins:
        yield Row("wheel", wheel, "wheel-pins", requirements.pins, place=place)
    yield Row("torch", build.torch, "torch-default-cuda", {"machine": build.machine, "cuda": cuda}, place=place)


def _minor(release: str) -> tuple[int, ...]:
    return Version(release).release[:2]


def _allows(specifier: str, release: str) -> bool:
    return specifier != "" and SpecifierSet(specifier).contains(release)


def _toolkit(release: str) -> str | None:
    try:
        return str(CudaVersion.parse(".".join(release.split(".")[:3])).release)
    except InvalidVersion:
        return None
