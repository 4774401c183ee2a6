"""The files described."""

from __future__ import annotations

from api.schemas.base import Described

__all__ = [
    "ArtifactKindPart",
    "ArtifactOption",
    "ArtifactsAnswer",
    "FileAnswer",
]


class FileAnswer(Described):
    """A file as a member of an answer, with the name it usually has."""

    filename: str
    media_type: str
    text: str
    data_version: str


class ArtifactOption(Described):
    """One option of a kind of file; `default` is null where it is left out."""

    name: str
    about: str
    default: str | None
    choices: list[str]


class ArtifactKindPart(Described):
    """One kind of file."""

    kind: str
    about: str
    filename: str
    media_type: str
    options: list[ArtifactOption]
    links: dict[str, str]


class ArtifactsAnswer(Described):
    """The answer of `/artifacts`."""

    artifacts: list[ArtifactKindPart]
    data_version: str
