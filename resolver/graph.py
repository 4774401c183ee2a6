"""The claims as a graph: entities are nodes, claims are edges; for looking, exporting and checking, not for solving.

networkx takes half a second to import, so nothing on the way of an answer imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx

from matrices.catalogue import Catalogue
from matrices.model import (
    CLAIMS,
    ENTITIES,
    BranchDrivesCc,
    Claim,
    CloudInstance,
    DriverRunsCuda,
    FamilyNeedsDriver,
    GpuDroppedAfter,
    GpuHasCc,
    ImageContains,
    JetPackContains,
    ToolkitForwardOn,
    ToolkitReleased,
    ToolkitTargetsCc,
    TorchDefaultCuda,
    Wheel,
    WheelBuiltWith,
    WheelEmbeds,
    WheelNeeds,
)

__all__ = ["around", "build", "ladder", "unreachable"]

HIDDEN = frozenset({"source", "coverage"})


def build(catalogue: Catalogue) -> nx.MultiDiGraph:
    """A node `kind:id` for every entity (and for every Python a wheel installs on); an edge for every claim between two.

    >>> from matrices.catalogue import Catalogue
    >>> graph = build(Catalogue({"schema_version": 1, "data_version": "x", "moved": {}, "entities": {}, "claims": {}, "evidence": []}))
    >>> len(graph)
    0
    """
    graph = nx.MultiDiGraph(data_version=catalogue.data_version)
    for kind, cls in ENTITIES.items():
        if kind not in HIDDEN:
            for name in catalogue.entities(cls):
                graph.add_node(f"{kind}:{name}", kind=kind)
    for claim_class in CLAIMS.values():
        for claim in catalogue.claims(claim_class):
            for target in _targets(claim):
                _edge(graph, f"{claim.within}:{claim.subject}", target, claim)
    for wheel in catalogue.entities(Wheel).values():
        graph.add_edge(f"torch:{wheel.torch}", f"wheel:{wheel.id}", relation="torch-has-wheel")
    for instance in catalogue.entities(CloudInstance).values():
        for gpu in instance.gpus:
            graph.add_edge(f"cloud-instance:{instance.id}", f"gpu:{gpu}", relation="instance-has-gpu")
    return graph


def _edge(graph: nx.MultiDiGraph, subject: str, target: str, claim: Claim) -> None:
    for node in (subject, target):
        if node not in graph:
            graph.add_node(node, kind=node.partition(":")[0])
    graph.add_edge(
        subject, target, key=claim.id, relation=claim.relation, standing=claim.standing, uncertain=claim.uncertain
    )


def _targets(claim: Claim) -> Iterator[str]:
    """The nodes that a claim leads to from its subject; claims about plain values lead nowhere."""
    match claim:
        case GpuHasCc():
            yield f"capability:{claim.compute_capability}"
        case GpuDroppedAfter():
            yield f"branch:{claim.branch}"
        case BranchDrivesCc():
            yield from (f"branch:{name}" for name in (claim.added, claim.last) if name)
        case DriverRunsCuda():
            yield f"toolkit:{claim.cuda.release}"
        case FamilyNeedsDriver():
            yield f"branch:R{claim.driver.major}"
        case ToolkitReleased() if claim.branch:
            yield f"branch:{claim.branch}"
        case ToolkitForwardOn():
            yield from (f"branch:{name}" for name in claim.branches)
        case ToolkitTargetsCc() | WheelEmbeds():
            yield from sorted({f"capability:{target.capability}" for target in claim.sass})
        case WheelBuiltWith() | TorchDefaultCuda():
            yield f"toolkit:{claim.cuda.release}"
        case WheelNeeds():
            yield from (f"python:{python}" for python in claim.python)
        case JetPackContains():
            yield f"toolkit:{claim.cuda.release}"
        case ImageContains():
            if claim.cuda and claim.cuda.count(".") >= 1:
                yield "toolkit:" + ".".join(claim.cuda.split(".")[:2])
            if claim.torch:
                yield f"torch:{claim.torch}"
        case _:
            return


def around(graph: nx.MultiDiGraph, node: str, radius: int = 1) -> dict[str, Any]:
    """The neighbourhood of a node as plain data: `{"nodes": [...], "edges": [...]}`.

    Raises:
        KeyError: when there is no such node.
    """
    if node not in graph:
        raise KeyError(node)
    near = nx.ego_graph(graph.to_undirected(as_view=True), node, radius=radius)
    edges = graph.subgraph(near).edges(keys=True, data=True)
    return {
        "nodes": [{"id": name, "kind": graph.nodes[name]["kind"]} for name in sorted(near)],
        "edges": sorted(
            ({"from": a, "to": b, "claim": str(key), "relation": data["relation"]} for a, b, key, data in edges),
            key=lambda edge: (edge["from"], edge["to"], edge["claim"]),
        ),
    }


def ladder(graph: nx.MultiDiGraph, gpu: str, wheel: str) -> list[str] | None:
    """A shortest way from a product over its capability to a wheel, by claims; None where no claim joins them."""
    undirected = graph.to_undirected(as_view=True)
    try:
        path: list[str] = nx.shortest_path(undirected, f"gpu:{gpu}", f"wheel:{wheel}")
    except nx.NetworkXNoPath:
        return None
    return path


def unreachable(graph: nx.MultiDiGraph, kinds: Iterable[str] = ("gpu", "wheel", "branch", "toolkit")) -> list[str]:
    """Nodes of the given kinds that no claim joins to anything: facts that can never be part of an answer."""
    wanted = set(kinds)
    return sorted(node for node, data in graph.nodes(data=True) if data["kind"] in wanted and graph.degree(node) == 0)
