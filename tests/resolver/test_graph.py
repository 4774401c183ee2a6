"""The claims as a graph: for looking at, exporting and checking."""

from __future__ import annotations

import networkx as nx
import pytest

from matrices.catalogue import Catalogue
from matrices.model import CLAIMS, Wheel
from resolver.graph import around, build, ladder, unreachable
from tests.resolver.factory import World, small

GRAPH = build(small().catalogue)

EDGES = [
    ("gpu:tesla-t4", "capability:7.5", "gpu-has-cc"),
    ("capability:8.6", "branch:R470", "branch-drives-cc"),
    ("capability:7.0", "branch:R580", "branch-drives-cc"),
    ("branch:R570", "toolkit:12.8", "driver-runs-cuda"),
    ("cuda-family:11", "branch:R450", "toolkit-needs-driver"),
    ("toolkit:12.8", "branch:R470", "toolkit-forward-on"),
    ("toolkit:12.8", "capability:12.0", "toolkit-targets-cc"),
    ("wheel:torch-2.6.0+cu118-linux-x86_64", "capability:9.0", "wheel-embeds"),
    ("wheel:torch-2.6.0+cu118-linux-x86_64", "toolkit:11.8", "wheel-built-with"),
    ("wheel:torch-2.6.0+cu118-linux-x86_64", "python:3.9", "wheel-needs"),
    ("torch:2.6.0", "toolkit:12.4", "torch-default-cuda"),
    ("torch:2.6.0", "wheel:torch-2.6.0+cu118-linux-x86_64", "torch-has-wheel"),
    ("jetpack:6.2", "toolkit:12.6", "jetpack-contains"),
    ("image:pytorch-2.6.0-cuda12.4", "toolkit:12.4", "image-contains"),
    ("image:pytorch-2.6.0-cuda12.4", "torch:2.6.0", "image-contains"),
    ("image:cuda-12.4.1-ubuntu22.04", "toolkit:12.4", "image-contains"),
]


@pytest.mark.parametrize("start, end, relation", EDGES)
def test_edges(start: str, end: str, relation: str) -> None:
    relations = {data["relation"] for data in GRAPH.get_edge_data(start, end).values()}
    assert relation in relations


def test_nodes_are_entities_and_what_claims_lead_to() -> None:
    kinds = {data["kind"] for _, data in GRAPH.nodes(data=True)}
    assert {"gpu", "capability", "branch", "toolkit", "wheel", "torch", "image", "python"} <= kinds
    assert not {"source", "coverage"} & kinds
    assert GRAPH.graph["data_version"] == "2026.01.31"
    assert len([node for node in GRAPH if node.startswith("wheel:")]) == len(small().catalogue.entities(Wheel))
    assert GRAPH.nodes["branch:R450"] == {"kind": "branch"}  # named by a claim alone


def test_edges_carry_the_claims() -> None:
    data = GRAPH.get_edge_data("capability:8.9", "branch:R535")["branch-drives-cc:8.9:linux"]
    assert data == {"relation": "branch-drives-cc", "standing": "normal", "uncertain": "one forum post"}
    claims = {key for _, _, key in GRAPH.edges(keys=True) if isinstance(key, str) and ":" in key}
    assert claims <= set(small().catalogue.by_id)


def test_claims_that_lead_nowhere() -> None:
    world = (
        World().entity("image", "i", repository="r", role="other", tags=["t"]).claim("image-contains", "i", cuda="12")
    )
    world.entity("toolkit", "12.8").claim("toolkit-released", "12.8", release="12.8.1")
    world.claim("toolkit-released", "12.8", release="12.8.0", branch="R570")
    world.claim("branch-drives-cc", "9.0").entity("image", "j", repository="r", role="other", tags=["u"])
    world.claim("image-contains", "j", os="ubuntu")
    world.entity("cloud-instance", "p5", gpus=["h100", "h200"])
    graph = build(world.catalogue())
    edges = sorted((start, end) for start, end, _ in graph.edges(keys=True))
    assert edges == [
        ("cloud-instance:p5", "gpu:h100"),
        ("cloud-instance:p5", "gpu:h200"),
        ("toolkit:12.8", "branch:R570"),
    ]


def test_around() -> None:
    found = around(GRAPH, "jetpack:6.2")
    assert found["nodes"] == [{"id": "jetpack:6.2", "kind": "jetpack"}, {"id": "toolkit:12.6", "kind": "toolkit"}]
    assert found["edges"] == [
        {"from": "jetpack:6.2", "to": "toolkit:12.6", "claim": "jetpack-contains:6.2", "relation": "jetpack-contains"}
    ]
    assert len(around(GRAPH, "jetpack:6.2", radius=2)["nodes"]) >= 2
    assert around(GRAPH, "os:rhel-7") == {"nodes": [{"id": "os:rhel-7", "kind": "os"}], "edges": []}
    with pytest.raises(KeyError, match="gpu:none"):
        around(GRAPH, "gpu:none")


def test_ladder() -> None:
    path = ladder(GRAPH, "tesla-t4", "torch-2.6.0+cu124-linux-x86_64")
    assert path == ["gpu:tesla-t4", "capability:7.5", "wheel:torch-2.6.0+cu124-linux-x86_64"]
    alone = build(
        World()
        .entity("gpu", "g", name="G", marketing_name="G")
        .entity("wheel", "w", torch="2.6.0", variant="cpu", os="linux", machine="x86_64", channel="conda")
        .catalogue()
    )
    assert ladder(alone, "g", "w") is None


def test_unreachable() -> None:
    assert unreachable(GRAPH) == []
    world = (
        World().entity("gpu", "lonely", name="L", marketing_name="L").entity("os", "alone", name="A", family="linux")
    )
    graph = build(world.catalogue())
    assert unreachable(graph) == ["gpu:lonely"]
    assert unreachable(graph, ("os", "gpu")) == ["gpu:lonely", "os:alone"]


def test_real_data(catalogue: Catalogue) -> None:
    graph = build(catalogue)
    assert unreachable(graph, ("gpu", "wheel", "toolkit")) == []
    assert set(nx.get_edge_attributes(graph, "relation").values()) <= {*CLAIMS, "torch-has-wheel", "instance-has-gpu"}
    path = ladder(graph, "tesla-t4", "torch-2.6.0+cu124-linux-x86_64")
    assert path is not None
    assert path[1] == "capability:7.5"
