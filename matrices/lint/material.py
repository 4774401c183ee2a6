"""What the linter reads: the files as text, what they say, the observations beside them and the day it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path

from matrices.load import DATA, DataFaults, Dataset, Fault, load
from matrices.reconcile.observed import Observations

__all__ = ["Material"]


@dataclass(frozen=True)
class Material:
    """One state of the data.

    Args:
        dataset: what the files say, as far as they could be read.
        folder: where the files are.
        faults: why the files could not be read; then only checks of scope `file` make sense.
        catalogue: the compiled catalogue that should be current, where there is one.
        day: the day to judge by instead of the version of the data.
        observed: the folder of observations beside the data, where there is one.
    """

    dataset: Dataset
    folder: Path
    faults: list[Fault] = field(default_factory=list)
    catalogue: Path | None = None
    day: date | None = None
    observed: Path | None = None

    @classmethod
    def read(
        cls,
        folder: Path = DATA,
        catalogue: Path | None = None,
        day: date | None = None,
        observed: Path | None = None,
    ) -> Material:
        """All `*.toml` below `folder`; faults are kept for the check `readable`."""
        try:
            return cls(load(folder), folder, [], catalogue, day, observed)
        except DataFaults as error:
            return cls(Dataset(), folder, error.faults, catalogue, day, observed)

    @cached_property
    def observations(self) -> Observations | None:
        """What was observed, None where nothing is kept beside the data."""
        return None if self.observed is None else Observations.load(self.observed)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of every file by its name below the folder; one that is not UTF-8 is left to `readable`."""
        found = {}
        for path in sorted(self.folder.rglob("*.toml")):
            try:
                found[path.relative_to(self.folder).as_posix()] = path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue
        return found

    @property
    def today(self) -> date:
        """The day to judge by: given, or the version of the data. Never the clock."""
        if self.day is not None:
            return self.day
        return date.fromisoformat(str(self.dataset.about["data_version"])[:10].replace(".", "-"))
