"""The symptoms and codes as they are used: read from the compiled JSON, without checking it again.

`python -m assistant.build` writes the JSON from the TOML, which is the truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from assistant.symptom import Code, Symptom
from matrices.codec import from_plain

__all__ = ["SYMPTOMS", "Library"]

SYMPTOMS = Path(__file__).parent / "symptoms.json"


class Library:
    """Every cause that the assistant knows, and every number with a meaning.

    Args:
        symptoms: the causes; their order does not matter.
        codes: the numbers.
    """

    def __init__(self, symptoms: Iterable[Symptom], codes: Iterable[Code] = ()) -> None:
        self.symptoms: Mapping[str, Symptom] = {
            symptom.id: symptom for symptom in sorted(symptoms, key=lambda each: each.id)
        }
        self.codes = tuple(sorted(codes, key=lambda code: (code.family, code.number)))

    @classmethod
    def load(cls, path: Path = SYMPTOMS) -> Library:
        """Read the committed symptoms (or others at `path`)."""
        return cls.of(json.loads(path.read_bytes()))

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Library:
        """From the plain values that `assistant.build` writes."""
        return cls(
            (from_plain(Symptom, row) for row in plain["symptoms"]), (from_plain(Code, row) for row in plain["codes"])
        )

    @cached_property
    def _by_number(self) -> dict[tuple[str, int], Code]:
        return {(code.family, code.number): code for code in self.codes}

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Code]:
        return {(code.family, code.name.lower()): code for code in self.codes}

    def code(self, family: str, number: int) -> Code | None:
        """The code with a number, if it is known."""
        return self._by_number.get((family, number))

    def named(self, family: str, name: str) -> Code | None:
        """The code with a name such as `cudaErrorInvalidValue`, in any case."""
        return self._by_name.get((family, name.lower()))

    @cached_property
    def consequences(self) -> dict[str, frozenset[str]]:
        """All that each cause explains, over any number of steps; itself only in a circle, which `build` refuses."""
        found: dict[str, frozenset[str]] = {}

        def follow(name: str) -> frozenset[str]:
            if name not in found:
                found[name] = frozenset()  # so that a circle ends
                direct = self.symptoms[name].explains if name in self.symptoms else ()
                found[name] = frozenset(direct).union(*(follow(each) for each in direct))
            return found[name]

        for name in self.symptoms:
            follow(name)
        return found
