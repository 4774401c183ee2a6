"""From TOML to claims: what is read, and that every fault is reported with its file and its key path."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.lint import CHECKS
from matrices.lint.material import Material
from matrices.load import DataFaults, Dataset, load
from matrices.model import (
    CLAIMS,
    ENTITIES,
    Claim,
    Documented,
    Measured,
    Reported,
    ToolkitReleased,
    WheelEmbeds,
    claim_key,
)
from matrices.versions import ArchTarget
from tests.matrices.generated import IDS, TEXTS, few, instances
from tests.matrices.toml_files import ABOUT, SAMPLE_EVIDENCE, WORLD, data_folder, document, written


def _load(tables: dict[str, Any]) -> Dataset:
    with tempfile.TemporaryDirectory() as folder:
        return load(data_folder(Path(folder), {"some/file.toml": document(tables)}))


def _faults(folder: Path, **files: str) -> list[tuple[str, str, str]]:
    """(file, path, message) of each fault; the keys of `files` are names without their ending."""
    with pytest.raises(DataFaults) as caught:
        load(data_folder(folder, {f"{name}.toml": text for name, text in files.items()}))
    assert str(caught.value) == "\n".join(map(str, caught.value.faults))
    return [(fault.file, fault.path, fault.message) for fault in caught.value.faults]


# --- what is read -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ENTITIES.values(), ids=lambda cls: cls.kind)
@few
@given(data=st.data())
def test_every_entity_reads_as_it_was_written(cls: Any, data: st.DataObject) -> None:
    entity = data.draw(instances(cls))
    dataset = _load({cls.kind: [written(entity)]})
    assert dataset.entities[cls.kind] == {entity.id: entity}
    assert dataset.places == {f"{cls.kind}:{entity.id}": ("some/file.toml", f"{cls.kind}.{entity.id}")}
    assert Catalogue(compiled(dataset)).entities(cls) == {entity.id: entity}


@pytest.mark.parametrize("cls", CLAIMS.values(), ids=lambda cls: cls.relation)
@few
@given(data=st.data())
def test_every_claim_reads_as_it_was_written(cls: type[Claim], data: st.DataObject) -> None:
    claim, subject = data.draw(instances(cls)), data.draw(instances(ENTITIES[cls.within]))
    row = written(claim, leave_out=("id", "subject"))
    dataset = _load({cls.within: [{**written(subject), cls.attribute: row}]})
    key = claim_key(cls, subject.id, row)
    expected = replace(claim, id=key, subject=subject.id)
    assert dataset.claims == {key: expected}
    assert dataset.places[key] == ("some/file.toml", f"{cls.within}.{subject.id}.{cls.attribute}")
    assert Catalogue(compiled(dataset)).claims(cls) == (expected,)


def test_evidence_comes_from_the_claim_or_its_entity_or_the_file(tmp_path: Path) -> None:
    text = """
    evidence.alias = "read"  # a name for a name
    [evidence.read]
    kind = "documented"
    source = "notes"
    on = 2026-11-01
    [defaults]
    evidence = "read"
    [[capability]]
    id = "7.0"
    architecture = "Volta"
    driven-by = { last = "R580" }
    [[capability]]
    id = "7.5"
    architecture = "Turing"
    evidence = [{ kind = "reported", link = "https://example.org", on = 2026-11-02 }]
    driven-by = { added = "R410" }
    needs-module = { modules = ["open"], evidence = ["read", { kind = "measured", artefact = "a", how = "b", on = 2026-11-03 }] }
    """
    text = text.replace('evidence.alias = "read"  # a name for a name', "")
    claims = load(data_folder(tmp_path, {"a.toml": text})).claims
    read = Documented("documented", "notes", date(2026, 11, 1))
    measured = Measured("measured", "a", "b", date(2026, 11, 3))
    assert {key: claim.evidence for key, claim in claims.items()} == {
        "branch-drives-cc:7.0:linux": (read,),
        "branch-drives-cc:7.5:linux": (Reported("reported", "https://example.org", date(2026, 11, 2)),),
        "cc-needs-module:7.5": (read, measured),
    }


def test_evidence_of_one_file_is_not_that_of_another(tmp_path: Path) -> None:
    branch = '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0" }\n'
    assert _faults(tmp_path, a=SAMPLE_EVIDENCE, b=branch) == [
        ("b.toml", "branch.R580.runs-cuda", "no evidence: name one in the claim, in its entity or in [defaults]")
    ]


def test_the_world_is_read_whole() -> None:
    dataset = load(WORLD)
    assert dataset.about == {"data_version": "2026.11.30"}
    assert dataset.moved == {"v100-old": "v100", "v100-older": "v100-old"}
    assert set(dataset.entities) == set(ENTITIES)
    assert all(dataset.entities.values())
    assert dataset.places["moved:v100-old"] == ("moved.toml", "v100-old")
    assert dataset.places["branch-released:R580:windows"] == ("drivers/r580.toml", "branch.R580.released[1]")
    embeds = dataset.claims["wheel-embeds:torch-2.6.0+cu124-linux-x86_64:torch"]
    assert isinstance(embeds, WheelEmbeds)
    assert embeds.ptx == (ArchTarget.parse("9.0"),)


def test_more_voices_on_one_question_all_stay(tmp_path: Path) -> None:
    rows = "".join(f'[[toolkit.released]]\nrelease = "{release}"\nlabel = "{label}"\n' for release, label in
                   [("12.4", "a"), ("12.4.1", "b"), ("12.4", "c"), ("12.4", "d"), ("12.4.1", "e")])  # fmt: skip
    dataset = load(data_folder(tmp_path, {"a.toml": f'{SAMPLE_EVIDENCE}[[toolkit]]\nid = "12.4"\n{rows}'}))
    said = {key: claim.label for key, claim in dataset.claims.items() if isinstance(claim, ToolkitReleased)}
    assert said == {
        "toolkit-released:12.4:12.4": "a",
        "toolkit-released:12.4:12.4.1": "b",
        "toolkit-released:12.4:12.4#2": "c",
        "toolkit-released:12.4:12.4#3": "d",
        "toolkit-released:12.4:12.4.1#2": "e",
    }
    assert all(key == claim.id for key, claim in dataset.claims.items())


@pytest.mark.parametrize(("text", "read"), [('"2026-07"', "2026-07"), ("2026-07-01", date(2026, 7, 1))])
def test_a_date_may_be_a_month_where_it_says_so(tmp_path: Path, text: str, read: object) -> None:
    toml = f'{SAMPLE_EVIDENCE}[[toolkit]]\nid = "12.4"\nreleased = {{ release = "12.4.1", on = {text} }}\n'
    claim = load(data_folder(tmp_path, {"a.toml": toml})).claims["toolkit-released:12.4:12.4.1"]
    assert isinstance(claim, ToolkitReleased)
    assert claim.on == read


# --- what is refused --------------------------------------------------------------------------------------------

DAY = 'a date is 2026-11-30 unquoted, or "2026-11" where a month will do'
EVIDENCE_FORM = "evidence is a name of this file or a table whose kind is one of measured, documented, reported"
ID_FORM = "an entity needs an id of ASCII letters, digits and ._+:/-"
NO_EVIDENCE = "no evidence: name one in the claim, in its entity or in [defaults]"
UNKNOWN_KIND = f"not a list of entities; a kind is one of {', '.join(sorted(ENTITIES))}"
OWN_NAME = "a claim is named by its place: it has no `id` or `subject` of its own"

# what is written beside the sample evidence, and the one fault it makes
ONE_FAULT = {
    "float for a driver": (
        '[[toolkit]]\nid = "12.4"\nneeds-driver = [{ release = "12.4.1", os = "linux", driver = 550.5 }]',
        ("toolkit.12.4.needs-driver[0].driver", "not a driver version: 550.5"),
    ),
    "float for a capability": (
        '[[feature]]\nid = "bf16"\nname = "bf16"\nneeds-cc = { minimum = 8.0 }',
        ("feature.bf16.needs-cc.minimum", "not a compute capability: 8.0"),
    ),
    "float for a CUDA version": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = 12.10 }',
        ("branch.R580.runs-cuda.cuda", "not a CUDA version: 12.1"),
    ),
    "float for a version that is text": (
        '[[toolkit]]\nid = "12.4"\nptx-isa = { version = 8.4 }',
        ("toolkit.12.4.ptx-isa.version", "Input should be a valid string"),
    ),
    "float in a list of versions": (
        (
            '[[wheel]]\nid = "w"\ntorch = "2.6.0"\nvariant = "cu124"\nos = "linux"\nmachine = "x86_64"\n'
            'channel = "conda"\nneeds = { python = ["3.12", 3.13] }'
        ),
        ("wheel.w.needs.python[1]", "not a Python version: 3.13"),
    ),
    "float for an id": ("[[toolkit]]\nid = 12.4", ("toolkit[0].id", ID_FORM)),
    "no id": ("[[jetpack]]\nl4t = '36.4'", ("jetpack[0].id", ID_FORM)),
    "id with a space": ("[[jetpack]]\nid = 'six two'", ("jetpack[0].id", ID_FORM)),
    "id in Chinese": ("[[jetpack]]\nid = '六'", ("jetpack[0].id", ID_FORM)),
    "id with the mark of a second voice": ("[[package]]\nid = 'x#2'", ("package[0].id", ID_FORM)),
    "unknown key of an entity": (
        '[[branch]]\nid = "R580"\nnumber = 580\ncolour = "red"',
        ("branch.R580.colour", "Unexpected keyword argument"),
    ),
    "unknown key of a claim": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", colour = "red" }',
        ("branch.R580.runs-cuda.colour", "Unexpected keyword argument"),
    ),
    "unknown key of evidence": (
        'evidence.x = { kind = "reported", link = "l", on = 2026-11-01, who = "me" }',
        ("evidence.x.who", "Unexpected keyword argument"),
    ),
    "missing field of an entity": ('[[branch]]\nid = "R580"', ("branch.R580.number", "Field required")),
    "missing field of a claim": (
        '[[branch]]\nid = "R580"\nnumber = 580\nreleased = {}',
        ("branch.R580.released.os", "Field required"),
    ),
    "missing field of evidence": (
        'evidence.x = { kind = "reported", on = 2026-11-01 }',
        ("evidence.x.link", "Field required"),
    ),
    "value outside its list": (
        '[[jetpack]]\nid = "6"\nl4t = "36"\n[[os]]\nid = "w"\nname = "w"\nfamily = "beos"',
        ("os.w.family", "Input should be 'linux' or 'windows'"),
    ),
    "claim with an id": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", id = "mine" }',
        ("branch.R580.runs-cuda.id", OWN_NAME),
    ),
    "claim with a subject": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", subject = "R570" }',
        ("branch.R580.runs-cuda.subject", OWN_NAME),
    ),
    "claim that is no table": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = "13.0"',
        ("branch.R580.runs-cuda", "a claim is a table"),
    ),
    "claim without evidence": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", evidence = [] }',
        ("branch.R580.runs-cuda", NO_EVIDENCE),
    ),
    "entity that clears the evidence of its claims": (
        '[[branch]]\nid = "R580"\nnumber = 580\nevidence = []\nruns-cuda = { cuda = "13.0" }',
        ("branch.R580.runs-cuda", NO_EVIDENCE),
    ),
    "coverage without evidence": (
        '[[coverage]]\nid = "c"\ntable = "wheel"\ncomplete_for = "all"\nevidence = []',
        ("coverage[0]", "no evidence: name one in the entity or in [defaults]"),
    ),
    "standing without because": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", standing = "preferred" }',
        ("branch.R580.runs-cuda", "a standing other than `normal` needs `because`"),
    ),
    "standing with an empty because": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", standing = "deprecated", because = "" }',
        ("branch.R580.runs-cuda", "a standing other than `normal` needs `because`"),
    ),
    "unknown standing": (
        '[[branch]]\nid = "R580"\nnumber = 580\nruns-cuda = { cuda = "13.0", standing = "best", because = "x" }',
        ("branch.R580.runs-cuda.standing", "Input should be 'preferred', 'normal' or 'deprecated'"),
    ),
    "evidence of an unknown name": (
        '[[package]]\nid = "p"\nevidence = ["sample", { kind = "reported", link = "l", on = 2026-11-01 }]',
        ("package[0].evidence[0]", EVIDENCE_FORM),
    ),
    "evidence of an unknown kind": ('evidence.x = { kind = "guessed" }', ("evidence.x", EVIDENCE_FORM)),
    "evidence whose kind is a list": ('evidence.x = { kind = ["measured"] }', ("evidence.x", EVIDENCE_FORM)),
    "evidence that is a number": ("evidence.x = 5", ("evidence.x", EVIDENCE_FORM)),
    "list of evidence tables": ("evidence = []", ("evidence", "not a table")),
    "infinite memory": (
        '[[gpu]]\nid = "g"\nname = "g"\nmarketing_name = "g"\nmemory_gb = [16, inf]',
        ("gpu.g.memory_gb[1]", "Input should be a finite number"),
    ),
    "figure that is not a number": (
        '[[gpu]]\nid = "g"\nname = "g"\nmarketing_name = "g"\nhas-specs = { nvlink_gb_s = nan }',
        ("gpu.g.has-specs.nvlink_gb_s", "Input should be a finite number"),
    ),
    "unknown kind": ('[[gadget]]\nid = "x"', ("gadget", UNKNOWN_KIND)),
    "one entity instead of a list": ('[branch]\nid = "R580"\nnumber = 580', ("branch", UNKNOWN_KIND)),
    "entity that is no table": ("branch = ['R580']", ("branch[0]", "an entity is a table")),
    "number as the day of evidence": (
        'evidence.x = { kind = "reported", link = "l", on = 20261101 }',
        ("evidence.x.on", DAY),
    ),
    "text as the day of evidence": (
        'evidence.x = { kind = "reported", link = "l", on = "2026-11-01" }',
        ("evidence.x.on", DAY),
    ),
    "time of day": ('[[torch]]\nid = "2.6.0"\nreleased = 2025-01-29T12:00:00Z', ("torch.2.6.0.released", DAY)),
    "month where the day is known": ('[[torch]]\nid = "2.6.0"\nreleased = "2025-01"', ("torch.2.6.0.released", DAY)),
    "month that does not exist": (
        '[[toolkit]]\nid = "12.4"\nreleased = { release = "12.4.1", on = "2024-13" }',
        ("toolkit.12.4.released.on", DAY),
    ),
    "day written as text": (
        '[[toolkit]]\nid = "12.4"\nreleased = { release = "12.4.1", on = "2024-04-12" }',
        ("toolkit.12.4.released.on", DAY),
    ),
    "quarter": (
        '[[branch]]\nid = "R580"\nnumber = 580\nlifecycle = { until = "2024-Q2" }',
        ("branch.R580.lifecycle.until", DAY),
    ),
    "words for a date": (
        (
            '[[image]]\nid = "i"\nrepository = "r"\ntags = []\nrole = "other"\n'
            'exists = { status = "exists", seen_on = "yesterday" }'
        ),
        ("image.i.exists.seen_on", DAY),
    ),
    "the same id twice": (
        '[[package]]\nid = "p"\n[[package]]\nid = "p"',
        ("package.p", "written twice, first in a.toml"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "fault"), ONE_FAULT.values(), ids=ONE_FAULT)
def test_one_fault(tmp_path: Path, text: str, fault: tuple[str, str]) -> None:
    evidence = "" if text.startswith("evidence") else SAMPLE_EVIDENCE
    assert _faults(tmp_path, a=f"{text}\n{evidence}") == [("a.toml", *fault)]


def test_only_evidence_has_defaults(tmp_path: Path) -> None:
    assert _faults(tmp_path, a="[defaults]\nos = 'linux'\n", b="defaults = 5\n") == [
        ("a.toml", "defaults.os", "only `evidence` can have a default"),
        ("b.toml", "defaults", "not a table"),
    ]


def test_all_faults_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    wheel = """
    [[wheel]]
    id = "torch-2.6.0+cu124-linux-x86_64"
    torch = 2.6
    variant = "cu124"
    os = "beos"
    machine = "x86_64"
    channel = "conda"
    built-with = { cuda = 12.4, evidence = ["nowhere"] }
    needs = { python = ["3.12", "4.0"], glibc = 2.28, evidence = [{ kind = "reported", link = "l", on = "then" }] }
    embeds = [{ sass = ["9.0"] }, 5]
    """
    broken = 'branch = [{ id = "R1", number = "one" }, "R2", {}]\nthing = 1\n'
    found = _faults(tmp_path, **{"torch/a": wheel, "b": broken, "c": "= nothing", "d": '[[package]]\nid = "ok"\n'})
    assert [(file, path) for file, path, _ in found] == [
        ("b.toml", "branch.R1.number"),
        ("b.toml", "branch[1]"),
        ("b.toml", "branch[2].id"),
        ("b.toml", "thing"),
        ("c.toml", ""),
        *(
            ("torch/a.toml", f"wheel.torch-2.6.0+cu124-linux-x86_64.{path}")
            for path in [
                "torch",
                "os",
                "built-with.evidence",
                "built-with",
                "needs.evidence.on",
                "needs.python[1]",
                "needs.glibc",
                "embeds[0]",
                "embeds[1]",
            ]
        ),
    ]


def test_a_second_entity_names_the_file_of_the_first(tmp_path: Path) -> None:
    package = '[[package]]\nid = "p"\n'
    assert _faults(tmp_path, a=package, b=package) == [("b.toml", "package.p", "written twice, first in a.toml")]


@pytest.mark.parametrize(
    "content", [b"a = 1\na = 2\n", b"x = \xff\n", b"on = 2026-13-01\n", b"x = 1" + b"0" * 5000, b"[[["]
)
def test_a_file_that_is_not_toml(tmp_path: Path, content: bytes) -> None:
    data_folder(tmp_path, {})
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(DataFaults, match=r"^a\.toml: not TOML: ") as caught:
        load(tmp_path)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(
    "text", ["", "data_version = 2026.11\n", 'data_version = "2026-11-30"\n', 'data_version = "2026.13.01"\n',
             'data_version = "soon"\n', "data_version = 2026-11-30\n", 'data_version = "20261130"\n']
)  # fmt: skip
def test_the_version_of_the_data_is_a_day(tmp_path: Path, text: str) -> None:
    message = "the version of the data is a day, as `2026.11.30`"
    assert _faults(tmp_path, about=text) == [("about.toml", "data_version", message)]


def test_the_version_of_the_data_is_needed(tmp_path: Path) -> None:
    with pytest.raises(DataFaults, match=r"^about\.toml: missing; it holds `data_version`$"):
        load(tmp_path)


def test_moved_ids_are_text(tmp_path: Path) -> None:
    moved = '"a.1" = "b"\nc.d = "e"\nf = ["g"]\n'
    message = "an id that moved leads to one other id, as text"
    assert _faults(tmp_path, moved=moved) == [("moved.toml", "c", message), ("moved.toml", "f", message)]


# --- anything at all --------------------------------------------------------------------------------------------

WORDS = sorted(
    {"id", "evidence", "defaults", "kind", "on", "standing", "because", "x"}
    | set(ENTITIES)
    | {cls.attribute for cls in CLAIMS.values()}
    | {"measured", "documented", "reported", "preferred", "linux", "7.0", "12.8", "R570", "R", "12", "570.26"}
)
SCALARS = (
    st.sampled_from(WORDS)
    | TEXTS
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.booleans()
    | st.dates()
    | st.datetimes(min_value=datetime(1000, 1, 1))  # noqa: DTZ001 - TOML has times without a zone
    | st.times()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS) | TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _judge(tables: dict[str, Any]) -> None:
    """Reading `tables` must end in a data set that all else accepts, or in faults that each name their place."""
    try:
        dataset = _load(tables)
    except DataFaults as caught:
        faults = caught.faults
        assert faults
        assert all(fault.file == "some/file.toml" and fault.message for fault in faults)
        assert all(f" · {fault.path}: {fault.message}" in str(fault) for fault in faults if fault.path)
        return
    catalogue = Catalogue(compiled(dataset))
    assert catalogue.by_id == dataset.claims
    material = Material(dataset, Path("nowhere"))
    for check in CHECKS:
        assert all(finding.subject and finding.message for finding in check.run(material))


@given(tables=st.dictionaries(st.sampled_from(WORDS) | TEXTS, VALUES, max_size=4))
def test_any_tables_are_read_or_refused(tables: dict[str, Any]) -> None:
    _judge(tables)


def _changed(data: st.DataObject, value: Any) -> Any:
    """`value` with one thing somewhere inside it replaced, removed or added."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        rest = {name: item for name, item in value.items() if name != key}
        return rest if data.draw(st.integers(0, 4)) == 0 else {**rest, key: _changed(data, value[key])}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        index = data.draw(st.integers(0, len(value) - 1))
        return [_changed(data, item) if place == index else item for place, item in enumerate(value)]
    return data.draw(VALUES)


@given(data=st.data())
def test_any_change_of_good_tables_is_read_or_refused(data: st.DataObject) -> None:
    tables: dict[str, Any] = {}
    for cls in data.draw(st.lists(st.sampled_from(list(CLAIMS.values())), min_size=1, max_size=3)):
        subject = written(data.draw(instances(ENTITIES[cls.within])))
        claim = written(data.draw(instances(cls)), leave_out=("id", "subject"))
        tables.setdefault(cls.within, []).append({**subject, "id": data.draw(IDS), cls.attribute: claim})
    kind = data.draw(st.sampled_from(sorted(tables)))
    _judge({**tables, kind: _changed(data, tables[kind])})


def test_the_about_of_the_helpers_is_accepted(tmp_path: Path) -> None:
    assert load(data_folder(tmp_path, {"about.toml": ABOUT})).claims == {}
