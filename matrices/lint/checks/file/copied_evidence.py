"""Evidence that would be inherited anyway is not written again."""

from __future__ import annotations

from matrices.lint.base import Check, mended
from matrices.lint.outline import Section, Statement, outline
from matrices.model import ENTITIES

__all__ = ["CHECK"]


def _mend(text: str) -> str:
    inherited = ""
    sections = outline(text)
    for section in sections:
        if section.header == "defaults":
            inherited = _evidence(section)
    own = inherited
    for section in sections:
        if section.header.partition(".")[0] not in ENTITIES:
            continue
        if "." not in section.header:
            _without(section, inherited)
            own = _evidence(section) or inherited
            for statement in section.statements:
                if statement.key != ("evidence",):
                    text = statement.text.replace(f", evidence = {own} }}", " }")
                    statement.text = text.replace(f"{{ evidence = {own}, ", "{ ")
            section.statements = [item for item in section.statements if not _copies(item, own)]
        else:
            _without(section, own)
    return "".join(section.text for section in sections)


def _copies(statement: Statement, evidence: str) -> bool:
    return statement.key[1:] == ("evidence",) and statement.text.partition("=")[2].strip() == evidence


def _evidence(section: Section) -> str:
    found = next((item.text for item in section.statements if item.key == ("evidence",)), "")
    return found.partition("=")[2].strip()


def _without(section: Section, evidence: str) -> None:
    if evidence and _evidence(section) == evidence:
        section.statements = [item for item in section.statements if item.key != ("evidence",)]


CHECK = Check(
    name="copied-evidence",
    scope="file",
    law="A row does not repeat the evidence that it inherits from its entity or from the defaults of the file.",
    fix="`--fix` removes the copy.",
    run=mended(_mend, "evidence is written that would be inherited"),
    mend=_mend,
)
