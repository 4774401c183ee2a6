"""Where an answer comes from can be followed to the end: claims, voices, rules, sources, the whole catalogue."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from api.provenance import Provenance
from api.views import Views
from matrices.catalogue import Catalogue
from matrices.model import CLAIMS
from matrices.public import json_schema
from resolver.cite import Citer
from resolver.engine import Checked, Engine
from resolver.errors import BadQuestion
from resolver.judge import Reason
from resolver.rules import RULES
from tests.resolver.small_catalogue import BASICS, WHEELS, small_engine
from tests.resolver.test_invariants import Sample

VOICES = """
[[branch]]
id = "R650"
number = 650
runs-cuda = [
    { cuda = "13.0", standing = "deprecated", because = "the tool says otherwise" },
    { cuda = "13.1", evidence = [{ kind = "measured", artefact = "driver 650.10", how = "nvidia-smi", on = 2026-01-01 }] },
    { cuda = "13.1", evidence = [{ kind = "measured", artefact = "driver 650.20", how = "nvidia-smi", on = 2026-01-02 }] },
]
"""


def test_a_claim_comes_with_every_voice(tmp_path: Path) -> None:
    provenance = Provenance(Views(small_engine(tmp_path / "data", VOICES, BASICS, WHEELS)))
    claim = provenance.claim("driver-runs-cuda:R650#2")
    assert claim is not None
    assert [(voice["id"], voice["agrees"], voice["standing"]) for voice in claim["voices"]] == [
        ("driver-runs-cuda:R650", False, "deprecated"),
        ("driver-runs-cuda:R650#2", True, "normal"),
        ("driver-runs-cuda:R650#3", True, "normal"),
    ]
    assert claim["voices"][0]["because"] == "the tool says otherwise"
    assert claim["confirmed_by"] == ["driver 650.10", "driver 650.20"]
    assert claim["contradicted_by"] == []
    other = provenance.claim("driver-runs-cuda:R650")
    assert other is not None
    assert (other["confirmed_by"], other["contradicted_by"]) == ([], ["driver 650.10", "driver 650.20"])
    assert provenance.claim("driver-runs-cuda:R651") is None


def test_links_lead_on(client: TestClient, engine: Engine) -> None:
    claim = client.get("/claims/gpu-has-cc:tesla-t4").json()
    assert [rule["id"] for rule in claim["rules"]] == ["every-gpu"]
    assert claim["stale"] is False
    for voice in claim["voices"]:
        assert client.get(voice["links"]["self"]).status_code == 200
    (source, *_) = [piece["source"] for piece in claim["evidence"] if "source" in piece]
    found = client.get(f"/sources/{source}").json()
    assert claim["id"] in found["claims"]["gpu-has-cc"]
    assert found["claim_count"] == sum(map(len, found["claims"].values()))
    listed = client.get("/sources").json()
    assert listed["count"] == len(listed["sources"])
    for row in listed["sources"]:
        assert client.get(row["links"]["self"]).status_code == 200
    assert sum(row["claim_count"] for row in listed["sources"]) > len(engine.catalogue.by_id) / 2


def test_the_whole_catalogue(client: TestClient, catalogue: Catalogue) -> None:
    plain = client.get("/catalogue.json", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    document = plain.json()
    Draft202012Validator(json_schema()).validate(document)
    assert document["data_version"] == catalogue.data_version
    packed = client.get("/catalogue.json", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == document
    assert int(packed.headers["content-length"]) < len(plain.content) / 10
    assert plain.headers["vary"] == packed.headers["vary"] == "accept-encoding"
    assert plain.headers["etag"] != packed.headers["etag"]
    for answer, encoding in ((plain, "identity"), (packed, "gzip")):
        asked = {"accept-encoding": encoding, "if-none-match": answer.headers["etag"]}
        again = client.get("/catalogue.json", headers=asked)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
        assert "content-encoding" not in again.headers


def test_the_packed_bytes_are_always_the_same(engine: Engine) -> None:
    first, second = (Provenance(Views(engine)).packed() for _ in range(2))
    assert first == second
    assert json.loads(gzip.decompress(first.body))["schema_version"] == 1


def test_rules_read_what_they_say(engine: Engine) -> None:
    """Every claim cited for a rule is of a relation that the rule says it reads, over a sample of questions."""
    assert {name for rule in RULES.values() for name in rule.reads} <= set(CLAIMS)
    seen: set[tuple[str, str]] = set()

    class Watching(Citer):
        def because(self, reason: Reason) -> dict[str, object]:
            seen.update((reason.rule, claim.relation) for claim in reason.claims)
            return super().because(reason)

    watched = Engine(engine.catalogue)
    watched.citer = watched.stacks.citer = watched.explainer.causes.citer = Watching(engine.catalogue)
    sample = Sample("reads")
    for _ in range(150):
        asked = sample.asked()
        parts = {name: asked[name] for name in ("driver", "torch", "cuda", "python", "os", "machine")}
        try:
            watched.check(Checked(gpu=asked["gpus"], image="nvidia/cuda:12.8.1-runtime-ubuntu24.04", **parts))
        except BadQuestion:
            continue
    assert len(seen) > 20
    strays = [(rule, relation) for rule, relation in seen if RULES[rule].reads and relation not in RULES[rule].reads]
    assert strays == []
