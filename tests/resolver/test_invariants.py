"""What must hold for every answer on the real data, over a grid and a seeded sample of questions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from matrices.catalogue import EVIDENCE_RANK, Catalogue
from matrices.model import OperatingSystem
from matrices.versions import DriverVersion, TorchVersion
from resolver.engine import Asked, Checked, Engine
from resolver.errors import BadQuestion
from resolver.rules import RULES
from tests.resolver.factory import query

GPUS = [
    "K80",
    "GTX 980",
    "GTX 1080 Ti",
    "P100",
    "V100",
    "T4",
    "A100",
    "RTX 3090",
    "RTX 4090",
    "H100",
    "GH200",
    "B200",
    "RTX 5090",
    "GB10",
]
DRIVERS = [None, "470.256.02", "525.60.13", "535", "550.163.01", "570", "580", "590", "610"]
WINDOWS_DRIVERS = {"525.60.13": "528.33", "550.163.01": "552.44", "470.256.02": "474.30"}
SYSTEMS = ["linux", "ubuntu-24.04", "rocky-9", "windows-11", "wsl2"]


class Sample:
    """Questions of every kind, the same ones every time."""

    def __init__(self, name: str) -> None:
        self.random = random.Random(name)

    def asked(self) -> dict[str, Any]:
        """One more question, as the parts of a request."""
        some = self.random.choice
        gpus = self.random.sample(GPUS, some([1, 1, 1, 2, 3]))
        os = some([*SYSTEMS, "ubuntu-18.04", "debian-12", "rhel-7", "windows-10"])
        driver = some(DRIVERS) if self.random.random() < 0.6 else None
        if os in ("windows-11", "windows-10", "wsl2"):
            driver = WINDOWS_DRIVERS.get(driver or "", driver)
        return {
            "gpus": gpus,
            "os": os,
            "driver": driver,
            "machine": some([None, None, None, "x86_64", "aarch64"]),
            "python": some([None, None, None, "3.8", "3.10", "3.12", "3.14", ">=3.9,<3.12"]),
            "torch": some(
                [None, None, None, "2.6.0", "2.7.1+cu128", "2.4.1+cu118", ">=2.8", "2.15.0", "1.13.1", "2.10"]
            ),
            "cuda": some([None, None, None, None, "12.6", "cu118", ">=13", "12.8"]),
            "packages": some([[], [], [], [], ["torchvision==0.21.0"], ["torchaudio"], ["triton"]]),
            "prefer": some(["newest", "newest", "conservative"]),
            "limit": some([1, 3, 20]),
        }

    def answers(self, engine: Engine, number: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """So many questions that can be read, with their answers."""
        while number:
            asked = self.asked()
            try:
                answer = engine.resolve(Asked(**asked))
            except BadQuestion:
                continue
            number -= 1
            yield asked, answer


def test_the_same_question_has_the_same_answer(engine: Engine) -> None:
    """To the byte, on the same engine and on another one that was asked other things before."""
    other = Engine(Catalogue.load())
    questions = list(Sample("same").answers(engine, 60))
    for asked, answer in reversed(questions):
        again, elsewhere = engine.resolve(Asked(**asked)), other.resolve(Asked(**asked))
        assert json.dumps(again, ensure_ascii=False) == json.dumps(answer, ensure_ascii=False)
        assert json.dumps(elsewhere, ensure_ascii=False) == json.dumps(answer, ensure_ascii=False)


def test_answers_are_whole(engine: Engine) -> None:
    """Every claim and rule named exists, evidence is that of the weakest, what is shown fits the verdict."""
    by_id = engine.catalogue.by_id
    for asked, answer in Sample("whole").answers(engine, 250):
        rows = [row for stack in answer["stacks"] for row in stack["because"]]
        rows += answer["conflict"]["causes"] if answer["conflict"] else []
        for row in rows:
            assert row["rule"] in RULES, row
            assert row["claim"] is None or row["claim"] in by_id, row
            assert set(row.get("claims", [])) <= set(by_id), row
        for stack in answer["stacks"]:
            kinds = [row["evidence"] for row in stack["because"] if row["evidence"]]
            assert stack["evidence"] == min(kinds, key=EVIDENCE_RANK.__getitem__)
        assert len(answer["stacks"]) <= asked["limit"]
        if answer["verdict"] == "yes":
            assert answer["stacks"]
            assert {stack["verdict"] for stack in answer["stacks"]} == {"yes"}
            assert (answer["conflict"], answer["fixes"]) == (None, [])
        if answer["verdict"] == "no":
            assert answer["stacks"] == []
            assert answer["conflict"]["causes"]
            assert answer["conflict"]["text"]
        for fix in answer["fixes"]:
            assert fix["text"].endswith((".", "`."))
            assert "None" not in fix["text"]


def published(engine: Engine) -> dict[tuple[str, str, str], bool]:
    """Whether publication is certain, by torch with variant, system and machine."""
    return {
        (build.label, build.wheel.os, build.wheel.machine): build.built_with.uncertain is None
        for build in engine.index.builds
    }


def test_nothing_whose_publication_is_in_doubt_is_sure(engine: Engine) -> None:
    certain = published(engine)
    assert not all(certain.values())
    for asked, answer in Sample("published").answers(engine, 150):
        wanted = engine.reader.read(Asked(**asked))
        for stack in answer["stacks"]:
            if stack["verdict"] == "yes":
                label = f"{stack['torch']['version']}+{stack['torch']['variant']}"
                assert certain[label, wanted.os.family, wanted.machine]


def test_stacks_are_in_order_of_preference(engine: Engine) -> None:
    """Sure ones with machine code first, then sure ones by PTX; each the newest torch first, of one torch the default first."""
    defaults = {
        (build.label, build.wheel.machine): build.default for build in engine.index.builds if build.wheel.os == "linux"
    }
    for asked, answer in Sample("order").answers(engine, 200):
        if answer["verdict"] != "yes" or "windows" in asked["os"]:
            continue
        machine = engine.reader.read(Asked(**asked)).machine
        worth = [
            (
                stack["torch"]["kernels"] == "sass",
                TorchVersion.parse(stack["torch"]["version"]),
                defaults[f"{stack['torch']['version']}+{stack['torch']['variant']}", machine],
                [int(part) for part in stack["cuda"]["runtime"].split(".")],
            )
            for stack in answer["stacks"]
        ]
        assert worth == sorted(worth, reverse=True)


# --- resolve and check -------------------------------------------------------------------------------------------


def as_checked(asked: dict[str, Any], stack: dict[str, Any], driver: str | None) -> Checked:
    """The stack of an answer as a question to check; a Python is checked where one was asked for."""
    return Checked(
        gpu=asked["gpus"],
        driver=driver,
        torch=f"{stack['torch']['version']}+{stack['torch']['variant']}",
        cuda=stack["cuda"]["runtime"],
        python=asked.get("python"),
        os=asked["os"],
        machine=asked.get("machine"),
        packages=asked.get("packages", []),
    )


def assert_checks(engine: Engine, asked: dict[str, Any], stack: dict[str, Any]) -> None:
    """The stack with its driver, or with the recommended branch, or with the least driver, is a yes for check too."""
    driver = stack["driver"]
    choices = {asked["driver"]} if asked["driver"] else {driver["recommended_branch"], driver["minimum"]}
    for choice in choices:
        found = engine.check(as_checked(asked, stack, choice))
        wrong = [row["text"] for row in found["findings"] if row["severity"] in ("error", "unknown")]
        assert found["verdict"] == "yes", (asked, choice, wrong)


@pytest.mark.parametrize("os", SYSTEMS)
def test_what_resolve_says_check_confirms(engine: Engine, os: str) -> None:
    confirmed = 0
    for gpu, driver in product(GPUS, DRIVERS):
        shown = WINDOWS_DRIVERS.get(driver or "", driver) if os in ("windows-11", "wsl2") else driver
        asked = {"gpus": [gpu], "os": os, "driver": shown}
        answer = engine.resolve(Asked(**asked, limit=4))
        for stack in answer["stacks"]:
            if answer["verdict"] == "yes":
                assert_checks(engine, asked, stack)
                confirmed += 1
    assert confirmed > 100


def test_what_resolve_says_of_a_sample_check_confirms(engine: Engine) -> None:
    for asked, answer in Sample("check").answers(engine, 150):
        if answer["verdict"] == "yes":
            assert_checks(engine, asked, answer["stacks"][-1])


# --- fixes -------------------------------------------------------------------------------------------------------


def changed(engine: Engine, asked: dict[str, Any], fix: dict[str, Any], gpus: list[dict[str, Any]]) -> dict[str, Any]:
    """The question with the change of a fix made."""
    change, after = fix["change"], dict(asked)
    if "torch" in change:
        after |= {"torch": change["torch"], "cuda": None}
    if "packages" in fix["kind"]:
        after["packages"] = []
    for name in ("python", "machine", "os"):
        after[name] = change.get(name, after[name])
    if "os" in change and asked["driver"]:  # builds of a branch have other numbers there
        facts = engine.index.drivers.branch_of(DriverVersion.parse(asked["driver"]))
        after["driver"] = str(facts.number) if facts else None
    if "driver" in change:
        after["driver"] = change["driver"]["branch"]
    if "without" in change:
        names = change["without"].split(", ")
        after["gpus"] = [text for text, gpu in zip(asked["gpus"], gpus, strict=True) if gpu["name"] not in names]
    return after


def test_every_fix_works(engine: Engine) -> None:
    tried = 0
    for asked, answer in Sample("fixes").answers(engine, 220):
        for fix in answer["fixes"]:
            if fix["kind"] == "split":
                parts = [part["gpus"] for part in fix["stacks"]]
                assert sum(map(len, parts)) == len(answer["gpus"])
                continue
            after = changed(engine, asked, fix, answer["gpus"])
            choices = [after["driver"]]
            if "driver" in fix["change"]:
                choices.append(fix["change"]["driver"]["minimum"])
            for driver in choices:
                found = engine.resolve(Asked(**{**after, "driver": driver}))
                assert found["verdict"] == "yes", (asked, fix["kind"], fix["change"], driver, found["conflict"])
                tried += 1
    assert tried > 200


# --- monotony ----------------------------------------------------------------------------------------------------


def test_one_more_gpu_never_helps(engine: Engine) -> None:
    rank = {"no": 0, "unknown": 1, "yes": 2}
    for asked, answer in Sample("more").answers(engine, 120):
        rest = [gpu for gpu in GPUS if gpu not in asked["gpus"]]
        machine = answer and engine.reader.read(Asked(**asked)).machine
        more = {**asked, "gpus": [*asked["gpus"], rest[len(asked["gpus"])]], "machine": machine}
        found = engine.solver.outcome(engine.reader.read(Asked(**more)))
        before = engine.solver.outcome(engine.reader.read(Asked(**{**asked, "machine": machine})))
        assert rank[found.verdict] <= rank[before.verdict]
        assert found.masks.yes & ~before.masks.yes == 0
        assert found.masks.maybe & ~before.masks.maybe == 0


def test_a_newer_driver_loses_no_build(engine: Engine) -> None:
    """As long as it drives the GPU at all: what runs on a branch runs on every later one."""
    linux = engine.catalogue.entities(OperatingSystem)["linux"]
    for text in engine.index.hardware.capabilities:
        kept = 0
        for facts in engine.index.drivers.branches.values():
            driver = facts.driver("linux")
            asked = query(text, os=linux, driver=driver)
            verdict, _ = engine.index.drivers.drives(driver, asked.capabilities[0], "linux")
            sure = engine.solver.outcome(asked).masks.yes
            if verdict == "yes":
                assert kept & ~sure == 0, (text, facts.number, [b.label for b in engine.index.picks(kept & ~sure, 9)])
                kept = sure
            else:
                assert sure == 0
