from __future__ import annotations

from matrices.catalogue import Catalogue
from resolver.grid import Answer, answers, differences, questions
from tests.resolver.factory import World


def test_every_question_has_a_label_of_its_own_and_can_be_asked_today() -> None:
    labels = [label for label, _ in questions()]
    assert len(labels) == len(set(labels))
    found = answers(Catalogue.load())
    assert list(found) == labels
    assert {answer.verdict for answer in found.values()} <= {"yes", "no", "unknown"}
    assert found["RTX 4090, linux"].build
    assert found["GTX 970, linux, driver 595"] == Answer("no")


def test_a_question_that_a_catalogue_cannot_read_is_an_answer_too() -> None:
    world = World().entity("os", "linux", name="Linux", family="linux")
    assert answers(world.catalogue())["T4, linux"].verdict == "UnknownGpu"


def test_differences_are_counted_and_named() -> None:
    before = {
        "a": Answer("yes", "1.0+cu1"),
        "b": Answer("yes", "1.0+cu1"),
        "c": Answer("no"),
        "d": Answer("yes", "1.0+cu1"),
        "e": Answer("yes", "1.0+cu1"),
        "gone": Answer("no"),
    }
    after = {
        "a": Answer("no"),
        "b": Answer("no"),
        "c": Answer("yes", "1.1+cu1"),
        "d": Answer("yes", "1.1+cu1"),
        "e": Answer("yes", "1.0+cu1"),
    }
    assert differences(before, after) == [
        "1 stack no -> yes",
        "2 stacks yes -> no",
        "  a: yes -> no",
        "  b: yes -> no",
        "  c: no -> yes",
        "1 stack with another best build: 1.0+cu1 -> 1.1+cu1",
    ]
    assert differences(before, before) == ["no verdict of 6 changes"]
