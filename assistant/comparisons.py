"""Predicates that compare what was read with what the resolver knows: GPU and build, driver and CUDA, compiler and target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from assistant.case import Case, Proof, predicate
from assistant.reading import Fact
from matrices.versions import ArchTarget, ComputeCapability, CudaVersion
from resolver import rules

__all__: list[str] = []

Place = Literal["newer", "older", "inside"]


# --- GPU and build ----------------------------------------------------------------------------------------------------


def _place(capability: ComputeCapability, sass: Iterable[ArchTarget], ptx: Iterable[ArchTarget] = ()) -> Place | None:
    """Where a capability stands to the targets of a build; None in a gap between them."""
    targets = tuple(sass)
    if any(rules.sass(target, capability) for target in targets) or any(rules.ptx(each, capability) for each in ptx):
        return "inside"
    known = [target.capability for target in (*targets, *ptx)]
    if not known:
        return None
    if capability > max(known):
        return "newer"
    return "older" if capability < min(known) else None


def _places(case: Case) -> list[tuple[Place | None, Proof]]:
    """Every GPU against the printed list, or else against the build named."""
    listed = _against_list(case)
    return listed or _against_range(case) or _against_builds(case)


def _against_list(case: Case) -> list[tuple[Place | None, Proof]]:
    ptx = [target for each in case.values("ptx-list") for target in each]
    return [
        (_place(capability, fact.value, ptx), Proof.of(gpu, fact))
        for fact in case.all("arch-list")
        for gpu, capability in case.capabilities
    ]


def _against_range(case: Case) -> list[tuple[Place | None, Proof]]:
    """`minimum and maximum cuda capability supported by this version of PyTorch is (7.0) - (12.0)`."""
    found: list[tuple[Place | None, Proof]] = []
    for fact in case.all("capability-range"):
        least, most = fact.value
        for gpu, capability in case.capabilities:
            place: Place = "newer" if capability > most else "older" if capability < least else "inside"
            found.append((place, Proof.of(gpu, fact)))
    return found


def _against_builds(case: Case) -> list[tuple[Place | None, Proof]]:
    found: list[tuple[Place | None, Proof]] = []
    for fact in case.all("torch"):
        builds = [build for build in case.builds(fact) if build.embeds is not None]
        for gpu, capability in case.capabilities:
            verdicts = {case.index.code(build, capability).verdict for build in builds}
            if verdicts == {"yes"}:
                found.append(("inside", Proof.of(gpu, fact)))
            elif verdicts == {"no"}:
                targets = [target for build in builds for target in (build.embeds.sass if build.embeds else ())]
                found.append((_place(capability, targets), Proof.of(gpu, fact)))
    return found + _against_cuda(case)


def _against_cuda(case: Case) -> list[tuple[Place | None, Proof]]:
    """A build can hold no code that its CUDA does not make: a GPU newer than all of it has none."""
    found: list[tuple[Place | None, Proof]] = []
    for fact, cuda in case.build_cudas:
        for gpu, capability in case.capabilities:
            if _place_in_toolkit(case, cuda, capability) == "newer":
                found.append(("newer", Proof.of(gpu, fact)))
    return found


def _place_in_toolkit(case: Case, cuda: CudaVersion, capability: ComputeCapability) -> Place | None:
    claim = case.index.targets.toolkits.get(str(cuda.release))
    return None if claim is None else _place(capability, claim.sass)


def _proof_of(case: Case, wanted: Place) -> Proof | None:
    places = _places(case)
    if wanted == "inside" and any(place != "inside" for place, _ in places):
        return None
    return next((proof for place, proof in places if place == wanted), None)


@predicate("gpu-newer-than-build")
def gpu_newer_than_build(case: Case) -> Proof | None:
    """The GPU is newer than every architecture of the framework's build."""
    return _proof_of(case, "newer")


@predicate("gpu-older-than-build")
def gpu_older_than_build(case: Case) -> Proof | None:
    """The GPU is older than every architecture of the framework's build."""
    return _proof_of(case, "older")


@predicate("gpu-in-build")
def gpu_in_build(case: Case) -> Proof | None:
    """The framework's build has code for each GPU named."""
    return _proof_of(case, "inside")


def _torch_is_new(case: Case) -> list[tuple[Fact, bool]]:
    """Each torch named of which builds are known, and whether one has machine code for the newest GPUs that any has."""
    found = []
    for fact in case.all("torch"):
        newest = [build.newest_major for build in case.builds(fact) if build.embeds is not None]
        if newest:
            found.append((fact, max(newest) == case.index.newest_major))
    return found


@predicate("torch-new")
def torch_new(case: Case) -> Proof | None:
    """A build of torch for the newest GPUs: it is likelier to lack an old one."""
    return next((Proof.of(fact) for fact, new in _torch_is_new(case) if new), None)


@predicate("torch-old")
def torch_old(case: Case) -> Proof | None:
    """A build of torch from before the newest GPUs."""
    return next((Proof.of(fact) for fact, new in _torch_is_new(case) if not new), None)


@predicate("gpu-newer-than-cuda")
def gpu_newer_than_cuda(case: Case) -> Proof | None:
    """The GPU is newer than what the CUDA named, installed or not, makes machine code for."""
    for fact in (*case.all("cuda"), *case.all("toolkit")):
        for gpu, capability in case.capabilities:
            if _place_in_toolkit(case, fact.value, capability) == "newer":
                return Proof.of(gpu, fact)
    return None


@predicate("kernel-image-error-in-build")
def kernel_image_error_in_build(case: Case) -> Proof | None:
    """`no kernel image`, although the framework itself has code for the GPU."""
    error = case.said("no kernel image", "cudaerrornokernelimagefordevice", "invalid device function")
    inside = case.proof("gpu-in-build")
    return Proof((*error.lines, *inside.lines)) if error and inside else None


# --- driver and CUDA --------------------------------------------------------------------------------------------------


def _runs(case: Case, cudas: Iterable[tuple[Fact, CudaVersion]]) -> list[tuple[str, Proof]]:
    """The verdicts whether the driver runs some CUDAs."""
    wanted = list(cudas)
    found: list[tuple[str, Proof]] = [
        (case.index.drivers.runs(driver, cuda, case.os).verdict, Proof.of(fact, other))
        for fact, driver in case.drivers
        for other, cuda in wanted
    ]
    if not case.drivers:
        for fact in case.all("driver-cuda"):
            found += [
                ("no" if cuda.major > fact.value.major else "yes", Proof.of(fact, other)) for other, cuda in wanted
            ]
    return found


def _cudas(case: Case) -> list[tuple[Fact, CudaVersion]]:
    kinds = ("cuda", "toolkit", "cuda-required")
    return [(fact, fact.value) for kind in kinds for fact in case.all(kind)]


@predicate("driver-too-old-for-torch")
def driver_too_old_for_torch(case: Case) -> Proof | None:
    """The driver does not run the CUDA that the framework was built with."""
    return next((proof for verdict, proof in _runs(case, case.build_cudas) if verdict == "no"), None)


@predicate("driver-too-old-for-cuda")
def driver_too_old_for_cuda(case: Case) -> Proof | None:
    """The driver does not run a CUDA that is named."""
    return next((proof for verdict, proof in _runs(case, _cudas(case)) if verdict == "no"), None)


@predicate("driver-runs-cuda")
def driver_runs_cuda(case: Case) -> Proof | None:
    """The driver runs every CUDA that is named."""
    found = _runs(case, [*case.build_cudas, *_cudas(case)])
    return found[0][1] if found and all(verdict == "yes" for verdict, _ in found) else None


# --- driver and GPU ---------------------------------------------------------------------------------------------------


@predicate("driver-dropped-gpu")
def driver_dropped_gpu(case: Case) -> Proof | None:
    """The driver's branch is later than the last one that drives the GPU."""
    for fact, driver in case.drivers:
        for gpu, capability in case.capabilities:
            window = case.index.drivers.window(capability, case.os)
            if window is not None and window.last is not None and driver.branch > window.last:
                return Proof.of(gpu, fact)
    return None


@predicate("driver-too-old-for-gpu")
def driver_too_old_for_gpu(case: Case) -> Proof | None:
    """The driver is older than the first that drives the GPU."""
    for fact, driver in case.drivers:
        for gpu, capability in case.capabilities:
            window = case.index.drivers.window(capability, case.os)
            if window is not None and window.added is not None and driver.branch < window.added:
                return Proof.of(gpu, fact)
        for gpu, products in case.gpus:
            if all(case.index.drivers.unlisted(driver, each, case.os) for each in products):
                return Proof.of(gpu, fact)
    return None


def _modules(case: Case) -> list[tuple[Fact, tuple[str, ...]]]:
    """Which kernel modules each GPU named works with, where that is known."""
    found: list[tuple[Fact, tuple[str, ...]]] = []
    for fact, gpus in case.gpus:
        for gpu in gpus[:1]:
            own = case.index.hardware.gpu_capability.get(gpu.id)
            claim = case.index.hardware.modules(own.compute_capability, gpu) if own else None
            found += [(fact, claim.modules)] if claim else []
    return found


@predicate("gpu-needs-open-module")
def gpu_needs_open_module(case: Case) -> Proof | None:
    """The GPU works with the open kernel modules only."""
    return next((Proof.of(fact) for fact, modules in _modules(case) if modules == ("open",)), None)


@predicate("gpu-cannot-open-module")
def gpu_cannot_open_module(case: Case) -> Proof | None:
    """The GPU does not work with the open kernel modules."""
    return next((Proof.of(fact) for fact, modules in _modules(case) if "open" not in modules), None)


# --- compiler and target ----------------------------------------------------------------------------------------------


def _requested(case: Case) -> list[tuple[Place | None, Proof]]:
    """Every architecture asked of nvcc against what it knows; other compilers have other limits."""
    if "nvcc" not in case.haystack and case.said("ptxas", "nvrtc"):
        return []
    toolkits = list(case.all("toolkit")) or list(case.all("cuda"))
    found = []
    for fact in case.all("requested-arch"):
        for toolkit in toolkits:
            place = _place_of_target(case, str(toolkit.value.release), fact.value)
            found.append((place, Proof.of(fact, toolkit)))
        if not toolkits:
            found.append((_place_of_target(case, _newest_toolkit(case), fact.value) or "newer", Proof.of(fact)))
    return found


def _newest_toolkit(case: Case) -> str:
    return str(max(map(CudaVersion.parse, case.index.targets.toolkits)))


def _place_of_target(case: Case, release: str, target: ArchTarget) -> Place | None:
    known = case.index.targets.toolkit_capabilities.get(release)
    if not known or target.capability in known:
        return None
    if target.capability > max(known):
        return "newer"
    return "older" if target.capability < min(known) else "newer"


@predicate("arch-newer-than-nvcc")
def arch_newer_than_nvcc(case: Case) -> Proof | None:
    """An architecture is asked of a compiler that is too old for it."""
    return next((proof for place, proof in _requested(case) if place == "newer"), None)


@predicate("arch-older-than-nvcc")
def arch_older_than_nvcc(case: Case) -> Proof | None:
    """An architecture is asked of a compiler that has dropped it."""
    return next((proof for place, proof in _requested(case) if place == "older"), None)


# --- the rest ---------------------------------------------------------------------------------------------------------


@predicate("versions-differ")
def versions_differ(case: Case) -> Proof | None:
    """The loaded kernel module and the driver's libraries have different versions."""
    modules, libraries = case.all("kernel-module"), case.all("client-library")
    loaded = {fact.value for fact in modules}
    different = [fact for fact in libraries if fact.value not in loaded]
    return Proof.of(different[0], modules[0]) if modules and different else None


@predicate("torch-cpu-build")
def torch_cpu_build(case: Case) -> Proof | None:
    """The torch in use has no CUDA: a `+cpu` tag, or its CUDA is None."""
    tagged = [fact for fact in case.all("torch") if fact.value.without_cuda and fact.value.local == "cpu"]
    if tagged:
        return Proof.of(tagged[0])
    return case.said("not compiled with cuda enabled", "torch.version.cuda: none", "torch.version.cuda none")


@predicate("torch-cuda-build")
def torch_cuda_build(case: Case) -> Proof | None:
    """The torch in use was built with CUDA."""
    return Proof.of(case.build_cudas[0][0]) if case.build_cudas else None
