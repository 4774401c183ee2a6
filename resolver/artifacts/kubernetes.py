"""A Pod or a Job: the image, a whole GPU or an instance of one, and the nodes that have the GPUs of the stack.

Nodes are chosen by the labels of NVIDIA's GPU feature discovery, which writes blanks of the product name as dashes:
https://github.com/NVIDIA/k8s-device-plugin/blob/main/internal/lm/resource.go
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matrices.model import Gpu, GpuHasSpecs
from resolver.artifacts.dockerfile import container
from resolver.artifacts.patterns import fits
from resolver.artifacts.rendering import render
from resolver.artifacts.search import Found
from resolver.errors import InvalidRequest
from resolver.naming.forms import mig_in
from resolver.query import Subject

if TYPE_CHECKING:
    from resolver.engine import Engine

__all__ = ["kubernetes"]

Term = list[tuple[str, list[str]]]
_ARCH = {"x86_64": "amd64", "aarch64": "arm64"}
_PUBLIC = ("pytorch", "ngc")  # bases that hold torch already and that a cluster can pull as they are


def kubernetes(engine: Engine, found: Found, options: Mapping[str, str | None]) -> str:
    """The manifest for a stack.

    Raises:
        InvalidRequest: when an instance is asked for of a GPU that is not known to have it.
    """
    query, base = found.wish.query, found.base
    profile = options["mig"] or _profile_named(query.subjects)
    products = [_divided(engine, subject, profile) if profile else subject.gpus for subject in query.subjects]
    terms = [_term(subject, gpus) for subject, gpus in zip(query.subjects, products, strict=True)]
    values = container(engine, found)
    public = base.kind in _PUBLIC and options["image"] is None
    own = {
        "kind": options["kind"],
        "name": options["name"],
        "runtime_class": options["runtime_class"],
        "public": public,
        "image": base.reference if public else options["image"] or values["tag"],
        "named": options["image"] is not None,
        "arch": _ARCH[query.machine],
        "terms": [term for number, term in enumerate(terms) if term not in terms[:number]],
        "resource": f"nvidia.com/mig-{profile.replace('+', '.')}" if profile else "nvidia.com/gpu",
        "count": options["count"],
    }
    return render("kubernetes", values | own)


def _profile_named(subjects: Sequence[Subject]) -> str | None:
    """The profile in the names of the GPUs, such as `A100 80GB MIG 1g.10gb`."""
    named = [mig_in(subject.asked.lower()) for subject in subjects]
    profiles = {found[0] if found else None for found in named}
    if len(profiles) > 1:
        raise InvalidRequest("the GPUs name different instances, or some none: say one for all with `mig`", field="mig")
    return profiles.pop()


def _divided(engine: Engine, subject: Subject, profile: str) -> tuple[Gpu, ...]:
    """The products of a subject that have a profile, as far as the claims say."""
    instances = {
        claim.subject: claim.mig_max_instances
        for claim in engine.catalogue.claims(GpuHasSpecs)
        if claim.mig_max_instances and claim.standing != "deprecated" and not claim.uncertain
    }
    known = [gpu for gpu in subject.gpus if gpu.id in instances]
    names = {gpu.id: [alias[4:] for alias in gpu.aliases if alias.startswith("MIG ")] for gpu in known}
    plain, slices = profile.removesuffix("+me"), int(profile.partition("g")[0])
    named = [gpu for gpu in known if plain in names[gpu.id]]
    # of a product whose instances nobody names only their number is known
    having = named or [gpu for gpu in known if not names[gpu.id] and slices <= instances[gpu.id]]
    if not having:
        reason = (
            f"no instance `{plain}` of {subject.name} is known"
            if known
            else f"{subject.name} is not known to be divided"
        )
        candidates = sorted({name for given in names.values() for name in given})
        raise InvalidRequest(reason, field="mig", given=profile, candidates=candidates)
    return tuple(having)


def _term(subject: Subject, gpus: Sequence[Gpu]) -> Term:
    """What a node's labels must be for a GPU: one of its names, or its capability where not all names are known."""
    names = [[name.replace(" ", "-") for name in gpu.driver_names] for gpu in gpus]
    if names and all(names) and all(fits(name, "label_value") for found in names for name in found):
        return [("nvidia.com/gpu.product", sorted({name for found in names for name in found}))]
    capability = subject.capability
    return [
        ("nvidia.com/gpu.compute.major", [str(capability.major)]),
        ("nvidia.com/gpu.compute.minor", [str(capability.minor)]),
    ]
