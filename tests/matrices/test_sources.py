"""What rests on a source, and how old it is."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.load import load
from matrices.sources import Sources
from tests.matrices.toml_files import data_folder

TEXT = """
[[source]]
id = "weekly"
title = "Weekly"
link = "https://example.org/weekly"
stale_after_days = 7

[[source]]
id = "archive"
title = "Archive"
link = "https://example.org/archive"

[[source]]
id = "unread"
title = "Nobody read it yet"
link = "https://example.org/unread"
stale_after_days = 7

[[coverage]]
id = "all"
table = "wheel"
complete_for = "all"
evidence = [{ kind = "documented", source = "archive", on = 2026-11-30 }]

[[branch]]
id = "R1"
number = 1
runs-cuda = [
    { cuda = "9.0", evidence = [{ kind = "documented", source = "weekly", on = 2026-11-20 }] },
    { cuda = "9.1", evidence = [{ kind = "documented", source = "weekly", on = 2026-11-22 }] },
    { cuda = "9.2", evidence = [
        { kind = "reported", link = "weekly", on = 2026-11-23 },
        { kind = "documented", source = "weekly", on = 2026-11-01 },
    ] },
    { cuda = "10.0", evidence = [{ kind = "documented", source = "archive", on = 2020-01-01 }] },
    { cuda = "10.1", evidence = [{ kind = "reported", link = "https://example.org/1", on = 2020-01-01 }] },
    { cuda = "10.2", evidence = [{ kind = "measured", artefact = "a", how = "h", on = 2020-01-01 }] },
]
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    folder = data_folder(tmp_path_factory.mktemp("data"), {"a.toml": TEXT})
    return Sources(Catalogue(compiled(load(folder))))


def test_claims_that_rest_on_a_source(sources: Sources) -> None:
    assert list(sources.uses) == ["archive", "unread", "weekly"]
    weekly = sources.uses["weekly"]
    assert [str(claim.id) for claim in weekly.claims] == [f"driver-runs-cuda:R1{end}" for end in ("", "#2", "#3")]
    assert (weekly.newest, weekly.age_days, weekly.stale) == (date(2026, 11, 23), 7, False)


def test_what_covers_counts_as_reading(sources: Sources) -> None:
    archive = sources.uses["archive"]
    assert (archive.newest, archive.age_days, archive.stale) == (date(2026, 11, 30), 0, False)
    unread = sources.uses["unread"]
    assert (unread.claims, unread.newest, unread.age_days, unread.stale) == ((), None, None, False)


def test_a_source_grows_stale(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    later = Sources(sources.catalogue)
    monkeypatch.setattr(later, "today", date(2026, 12, 1))
    assert later.uses["weekly"].stale
    assert not later.uses["archive"].stale


def test_a_claim_is_stale_when_all_of_its_evidence_is(sources: Sources) -> None:
    stale = {claim.id for claim in sources.catalogue.by_id.values() if sources.stale(claim)}
    assert stale == {"driver-runs-cuda:R1", "driver-runs-cuda:R1#2"}


def test_an_empty_catalogue_has_none(tmp_path: Path) -> None:
    assert Sources(Catalogue(compiled(load(data_folder(tmp_path, {}))))).uses == {}
