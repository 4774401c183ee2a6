"""Each source on a small saved page of its form, with the odd rows that such pages have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from matrices.catalogue import Catalogue
from matrices.collect.collectors import COLLECTORS
from matrices.collect.door import PageMissing, Saved
from matrices.collect.metadata import read_requirements
from matrices.collect.rows import Parsed, Unrecognised
from matrices.collect.sources import (
    driver_releases,
    endoflife,
    images,
    package_index,
    pytorch_index,
    redistributables,
    release_notes,
)
from tests.matrices.collect.saved import PAGES, page, pages


def stated(parsed: Parsed) -> dict[str, dict[str, object]]:
    """Every row by its key."""
    return {row.key: dict(row.values) for row in parsed.rows}


def collected(name: str, catalogue: Catalogue) -> Parsed:
    return COLLECTORS[name].collect(pages(), catalogue)


def test_driver_releases(catalogue: Catalogue) -> None:
    parsed = collected("driver-releases", catalogue)
    assert stated(parsed) == {
        "branch:R535": {"number": 535},
        "branch-released:R535:linux": {
            "os": "linux",
            "versions": ["535.274.02", "535.288.01"],
            "latest": "535.288.01",
            "latest_on": "2026-01-13",
        },
        "branch-lifecycle:R535": {"type": "lts"},
        "branch:R580": {"number": 580},
        "branch-released:R580:linux": {
            "os": "linux",
            "versions": ["580.95.05", "580.178.04"],
            "latest": "580.178.04",
            "latest_on": "2026-08-03",
        },
        "branch-lifecycle:R580": {"type": "lts"},
        "branch:R610": {"number": 610},
        "branch-released:R610:linux": {
            "os": "linux",
            "versions": ["610.57.04"],
            "latest": "610.57.04",
            "latest_on": "2026-08-03",
        },
        "branch-lifecycle:R610": {"type": "production"},
        "branch:R615": {"number": 615},
        "branch-released:R615:linux": {"os": "linux", "versions": ["615.11.01"], "latest": "615.11.01"},
    }
    assert parsed.unmatched == (
        "unknown key 'checksum'",
        "R580: not a driver version: 'soon'",
        "branch 615: type 'preview'",
        "branch 620: no build could be read",
        "branch readme: not a number",
    )


def test_endoflife_drivers(catalogue: Catalogue) -> None:
    parsed = collected("endoflife-drivers", catalogue)
    found = stated(parsed)
    assert found["branch-released:R580:windows"] == {"os": "windows", "latest": "582.78", "latest_on": "2026-08-03"}
    assert found["branch-released:R575:linux"] == {"os": "linux", "latest": "575.57.08", "versions": ["575.57.08"]}
    assert {key: values for key, values in found.items() if key.startswith("branch-lifecycle")} == {
        "branch-lifecycle:R610": {"type": "production", "until": "2027-05-26"},
        "branch-lifecycle:R580": {"type": "lts", "until": "2028-08-04"},
        "branch-lifecycle:R575": {"type": "new-feature"},
    }
    assert found["branch:R304"] == {"number": 304}
    assert "branch-released:R304:linux" not in found
    assert parsed.unmatched == ("cycle grid-17: not a driver branch",)


def test_the_older_interface_of_endoflife_says_the_same() -> None:
    older, newer = (
        {cycle.name: cycle for cycle in endoflife.parse_cycles(page(name))}
        for name in ("nvidia-driver-old.json", "nvidia-driver.json")
    )
    assert older["r580-linux"] == newer["r580-linux"]
    assert older["r575-linux"].ends is None
    assert older["r575-linux"].latest_on is None


def test_the_older_address_of_endoflife_is_asked_when_the_newer_is_gone(catalogue: Catalogue) -> None:
    class Older:
        def page(self, name: str, url: str, headers: object) -> bytes:
            if "/v1/" in url:
                raise PageMissing(name)
            return page("nvidia-driver-old.json")

        def metadata(self, file: str, url: str) -> bytes:
            raise AssertionError

    assert "branch:R575" in stated(endoflife.collect_drivers(Older(), catalogue))


def test_endoflife_gpus_have_no_place_but_are_not_lost(catalogue: Catalogue) -> None:
    parsed = collected("endoflife-gpus", catalogue)
    assert parsed.rows == ()
    assert parsed.unmatched == (
        "cycle professional-rubin: no compute capability has this architecture",
        "cycle consumer-pascal: ends 2028-10-31; no relation holds it",
        "cycle shield: not an architecture by market",
    )


def test_release_notes(catalogue: Catalogue) -> None:
    parsed = collected("release-notes", catalogue)
    found = stated(parsed)
    drivers = {key: values["driver"] for key, values in found.items() if "driver" in values}
    assert drivers == {
        "toolkit-ships-driver:13.0:13.0.2:linux": "580.95.05",
        "toolkit-needs-driver:13:linux": "580",
        "toolkit-needs-driver:12:linux": "525.60.13",
        "toolkit-needs-driver:12:windows": "528.33",
        "toolkit-needs-driver-natively:13.0:13.0.2:linux": "580.95.05",
        "toolkit-needs-driver-natively:12.8:12.8.1:linux": "570.124.06",
        "toolkit-needs-driver-natively:12.8:12.8.1:windows": "572.61",
        "toolkit-needs-driver-natively:12.8:12.8.0:linux": "570.26",
        "toolkit-needs-driver-natively:11.0:11.0.3:linux": "450.51.06",
        "toolkit-needs-driver-natively:11.0:11.0.3:windows": "451.82",
    }
    table = "CUDA Toolkit and Corresponding Driver Versions"
    assert set(parsed.unmatched) == {
        "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version Compatibility: 'CUDA 11.0 (11.0.3)' is no CUDA family",
        f"{table}: column 'Linux aarch64 note'",
        f"{table}: CUDA 12.8 GA, windows: 'see below'",
        f"{table}: 'CUDA 10.1 (10.1.105 general release, and updates)' is no release",
    }


def test_redistributables(catalogue: Catalogue) -> None:
    parsed = collected("redistributables", catalogue)
    assert stated(parsed) == {
        "toolkit:11.4": {},
        "toolkit-released:11.4:11.4.4": {"release": "11.4.4", "on": "2022-02-01"},
        "toolkit:12.8": {},
        "toolkit-released:12.8:12.8.0": {"release": "12.8.0"},  # known in full: its manifest is not read again
        "toolkit-released:12.8:12.8.1": {"release": "12.8.1", "on": "2025-03-06"},
        "toolkit-ships-driver:12.8:12.8.1:linux": {"release": "12.8.1", "os": "linux", "driver": "570.124.06"},
    }
    assert parsed.unmatched == (
        "redistrib_12.8.1.json: mystery has no version",
        "redistrib_13.9.0.json is not among the saved pages",
    )


def test_cuda_images(catalogue: Catalogue) -> None:
    parsed = collected("cuda-images", catalogue)
    found = stated(parsed)
    assert found["image-exists:nvidia/cuda:13.0.0-ubuntu24.04"] == {"status": "exists"}
    assert found["image:nvidia/cuda:13.0.0-ubuntu24.04"]["tags"] == ["13.0.0-cudnn-devel-ubuntu24.04"]
    assert found["image:nvidia/cuda:13.1.0-ubuntu26.04"] == {
        "repository": "nvidia/cuda",
        "role": "cuda",
        "tags": ["13.1.0-base-ubuntu26.04", "13.1.0-cudnn9-runtime-ubuntu26.04"],
    }
    assert found["image-exists:nvidia/cuda:13.1.0-ubuntu26.04"] == {
        "status": "exists",
        "machines": ["x86_64", "aarch64"],
    }
    assert found["image-contains:nvidia/cuda:13.1.0-ubuntu26.04"] == {
        "cuda": "13.1.0",
        "os": "ubuntu-26.04",
        "cudnn": "9",
    }
    assert found["image-contains:nvidia/cuda:13.1.0-plan9"] == {"cuda": "13.1.0"}
    assert found["image-exists:nvidia/cuda:13.1.0-plan9"] == {"status": "exists"}
    assert parsed.unmatched == ("1 tags of another shape",)
    assert COLLECTORS["cuda-images"].expected(catalogue, parsed) == [
        "image-exists:nvidia/cuda:13.0.0-ubuntu24.04",
        "image-exists:nvidia/cuda:11.0.3-ubuntu24.04",
    ]


def test_pytorch_images(catalogue: Catalogue) -> None:
    assert stated(collected("pytorch-images", catalogue)) == {
        "image:pytorch/pytorch:2.9.1-cuda13.0": {
            "repository": "pytorch/pytorch",
            "role": "pytorch",
            "tags": ["2.9.1-cuda13.0-cudnn9-runtime", "2.9.1-cuda13.0-cudnn9-devel"],
        },
        "image-exists:pytorch/pytorch:2.9.1-cuda13.0": {"status": "exists", "machines": ["x86_64"]},
        "image-contains:pytorch/pytorch:2.9.1-cuda13.0": {"torch": "2.9.1", "cuda": "13.0", "cudnn": "9"},
    }


def test_a_tag_of_pytorch_of_another_shape(catalogue: Catalogue) -> None:
    tags = [images.Tag("latest"), images.Tag("25.12-py3")]
    parsed = images.rows_of("pytorch/pytorch", "pytorch", tags, catalogue, images._pytorch_shape)
    assert parsed == Parsed((), ("2 tags of another shape",))


def test_ngc_images_are_asked_for_with_the_token(catalogue: Catalogue) -> None:
    asked = []

    class Door(Saved):
        def page(self, name: str, url: str, headers: object) -> bytes:
            asked.append((name, headers))
            return super().page(name, url, {})

    parsed = images.collect_ngc(Door(PAGES), catalogue)
    assert asked == [("ngc-token.json", {}), ("ngc-pytorch-tags.json", {"Authorization": "Bearer abc"})]
    assert stated(parsed) == {
        "image-exists:nvcr.io/nvidia/pytorch:25.10-py3": {"status": "exists"},
        "image:nvcr.io/nvidia/pytorch:25.11-py3": {
            "repository": "nvcr.io/nvidia/pytorch",
            "role": "ngc",
            "tags": ["25.11-py3"],
        },
        "image-exists:nvcr.io/nvidia/pytorch:25.11-py3": {"status": "exists"},
    }


def test_one_saved_page_serves_for_the_token_too(catalogue: Catalogue) -> None:
    parsed = images.collect_ngc(Saved(PAGES / "ngc-pytorch-tags.json"), catalogue)
    assert len(parsed.rows) == 3


def test_a_list_of_tags_has_an_end(catalogue: Catalogue) -> None:
    endless = (PAGES / "nvidia-cuda-tags-1.json").read_bytes()

    class Endless:
        def page(self, name: str, url: str, headers: object) -> bytes:
            return endless

        def metadata(self, file: str, url: str) -> bytes:
            raise AssertionError

    with pytest.raises(Unrecognised, match="more than 400 pages"):
        images.collect_cuda(Endless(), catalogue)


def test_pytorch_index(catalogue: Catalogue) -> None:
    parsed = collected("pytorch-index", catalogue)
    found = stated(parsed)
    assert {key: values for key, values in found.items() if "cu128" in key} == {
        "wheel:torch-2.9.1+cu128-linux-x86_64": {
            "torch": "2.9.1",
            "variant": "cu128",
            "os": "linux",
            "machine": "x86_64",
            "channel": "pytorch-index",
        },
        "wheel-built-with:torch-2.9.1+cu128-linux-x86_64": {"cuda": "12.8"},
        "wheel-needs:torch-2.9.1+cu128-linux-x86_64": {"python": ["3.12", "3.13t"], "glibc": "2.28"},
    }
    assert "wheel:torch-2.9.1+cu130-linux-aarch64" in found
    assert found["wheel-needs:torch-2.9.1+cu130-windows-x86_64"] == {"python": ["3.12"]}
    assert parsed.unmatched == (
        "pre-releases: 1 files",
        "wheels for Python py3: 1 files",
        "wheels for other systems: 1 files",
        "wheels for s390x: 1 files",
        "variant no variant: not CUDA",
        "variant rocm6.4: not CUDA",
    )
    assert pytorch_index.expected(catalogue, parsed) == []  # no cu126 on this page
    of_126 = pytorch_index.parse(page("pytorch-torch.html").replace(b"cu130", b"cu126"))
    assert pytorch_index.expected(catalogue, of_126) == ["wheel:torch-2.9.1+cu126-linux-x86_64"]
    older = pytorch_index.parse(page("pytorch-torch.html").replace(b"cu130", b"cu126").replace(b"2.9.1", b"2.9.0"))
    assert pytorch_index.expected(catalogue, older) == []


def test_package_index(catalogue: Catalogue) -> None:
    parsed = collected("package-index", catalogue)
    found = stated(parsed)
    assert found["torch:2.10.0"] == {"released": "2025-11-12"}
    assert {key: values for key, values in found.items() if "2.10.0+cu130-linux-x86_64" in key} == {
        "wheel:torch-2.10.0+cu130-linux-x86_64": {
            "torch": "2.10.0",
            "variant": "cu130",
            "os": "linux",
            "machine": "x86_64",
            "channel": "package-index",
        },
        "wheel-needs:torch-2.10.0+cu130-linux-x86_64": {"python": ["3.12", "3.13"], "glibc": "2.28"},
        "wheel-built-with:torch-2.10.0+cu130-linux-x86_64": {"cuda": "13.0"},
        "wheel-pins:torch-2.10.0+cu130-linux-x86_64": {"cudnn": "9.13.0.50", "nccl": "2.27.7", "triton": "3.6.0"},
        "wheel:torch-2.10.0+cu130-linux-x86_64-build3": {
            "torch": "2.10.0",
            "variant": "cu130",
            "os": "linux",
            "machine": "x86_64",
            "channel": "package-index",
            "build": "3",
        },
        "wheel-needs:torch-2.10.0+cu130-linux-x86_64-build3": {"python": ["3.12"], "glibc": "2.28"},
        "wheel-built-with:torch-2.10.0+cu130-linux-x86_64-build3": {"cuda": "13.0"},
        "wheel-pins:torch-2.10.0+cu130-linux-x86_64-build3": {
            "cudnn": "9.13.0.50",
            "nccl": "2.27.7",
            "triton": "3.6.0",
        },
    }
    assert found["torch-default-cuda:2.10.0:aarch64"] == {"machine": "aarch64", "cuda": "13.0"}
    assert found["wheel-needs:torch-2.10.0+cpu-windows-x86_64"] == {"python": ["3.12", "3.13"]}
    assert "wheel-built-with:torch-2.10.0+cpu-windows-x86_64" not in found
    assert found["wheel-needs:torch-2.9.1+cu128-linux-x86_64"]["python"] == ["3.10", "3.12", "3.13t"]
    assert found["wheel-needs:torch-2.8.0+cpu-windows-x86_64"] == {"python": ["3.12"]}  # known, so METADATA is not read
    assert "torch:1.13.1" not in found  # its METADATA could not be read, and nothing is held of it
    older = {key: values for key, values in found.items() if "2.8.0+cu126-linux-aarch64" in key}
    assert older.pop("wheel-built-with:torch-2.8.0+cu126-linux-aarch64") == {"cuda": "12.6"}
    assert len(older) == 2  # it pins no library
    assert found["toolkit-released:13.0:13.0.3"] == {"release": "13.0.3", "on": "2026-03"}
    assert found["toolkit-released:12.8:12.8.1"] == {"release": "12.8.1"}  # an old one: its upload came late


def test_companions_are_pinned_or_held_or_the_newest(catalogue: Catalogue) -> None:
    found = stated(collected("package-index", catalogue))
    pairs = {key: values["version"] for key, values in found.items() if key.startswith("torch-pairs-with")}
    assert pairs == {
        "torch-pairs-with:2.8.0:torchvision": "0.23.0",
        "torch-pairs-with:2.9.1:torchvision": "0.24.1",  # it pins 2.9.1; 0.25.0 would take it too
        "torch-pairs-with:2.9.1:torchaudio": "2.9.1",  # held; 2.10.0 takes it too
        "torch-pairs-with:2.9.1:triton": "3.5.1",
        "torch-pairs-with:2.10.0:torchvision": "0.25.0",
        "torch-pairs-with:2.10.0:torchaudio": "2.10.0",
        "torch-pairs-with:2.10.0:triton": "3.6.0",
    }


def test_what_the_package_index_says_besides(catalogue: Catalogue) -> None:
    unmatched = collected("package-index", catalogue).unmatched
    assert unmatched[:5] == (
        "torch 2.9.0: yanked",
        "torch, pre-releases: 1 files",
        "torch, source archives: 1 files",
        "torch, wheels for other systems: 1 files",
        "torch, wheels of torchless: 1 files",
    )
    pinned = "torch-2.9.1-cp310-cp310-manylinux_2_28_aarch64.whl: pins nvidia-nccl-cu12 2.99.0, which the index does not have"
    assert pinned in unmatched
    assert "torch-1.13.1-cp39-cp39-manylinux1_x86_64.whl.metadata is not among the saved pages" in unmatched
    assert "nvidia-cudnn-cu13: newest 9.13.0.50; no relation holds its releases" in unmatched
    assert package_index.expected(catalogue, Parsed(())) == [
        "torch:2.7.1",
        "torch:2.8.0",
        "torch:2.9.1",
        "wheel:torch-2.7.1+cu126-linux-x86_64",
        "wheel:torch-2.8.0+cpu-windows-x86_64",
        "wheel:torch-2.9.1+cu128-linux-x86_64",
    ]


def test_without_linux_metadata_nothing_is_said_of_companions(catalogue: Catalogue, tmp_path: Path) -> None:
    for path in PAGES.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    keys = stated(COLLECTORS["package-index"].collect(Saved(tmp_path), catalogue))
    assert "wheel-needs:torch-2.9.1+cu128-linux-x86_64" in keys
    assert not any(key.startswith("torch-pairs-with") for key in keys)


BROKEN: dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...]]] = {
    "driver releases": (driver_releases.parse, (b"", b"[]", b"{}", b'{"580": {"type": "lts branch"}}', b"<html>")),
    "endoflife": (endoflife.parse_cycles, (b"", b"[]", b'{"result": {}}', b'[{"name": "no cycle"}]', b"3")),
    "endoflife drivers": (endoflife.parse_drivers, (b'[{"cycle": "grid-17"}]',)),
    "release notes": (release_notes.parse, (b"", b"<table><caption>Corresponding Driver Versions</caption></table>")),
    "redistributables": (redistributables.parse_listing, (b"", b"<a href='cuda_nvcc/'>cuda_nvcc</a>")),
    "manifest": (
        lambda body: redistributables.parse(body, "12.8.1"),
        (
            b"",
            b"[]",
            b"{}",
            b'{"release_date": "2025-03-06"}',
            page("redistrib_12.8.1.json").replace(b"12.8.1", b"12.8.2"),
        ),
    ),
    "hub": (images.parse_hub, (b"", b"{}", b'{"results": [{}], "next": null}', b'{"results": []}')),
    "registry": (images.parse_registry, (b"", b"{}", b'{"tags": []}', b'{"tags": null}')),
    "pytorch index": (
        pytorch_index.parse,
        (b"", b"<a href='/whl/cpu/torch-2.9.1%2Bcpu-cp312-cp312-win_amd64.whl'>cpu</a>"),
    ),
    "package index": (
        lambda body: package_index.parse(body, "torch"),
        (b"", b"<html>", b"{}", b'{"files": []}', b'{"files": [{}]}', page("torchvision.json"), b'{"files": null}'),
    ),
}


@pytest.mark.parametrize("source", sorted(BROKEN))
def test_an_empty_or_strange_page_is_an_error(source: str) -> None:
    parse, bodies = BROKEN[source]
    for body in bodies:
        with pytest.raises(Unrecognised):
            parse(body)


def test_a_repository_without_tags_is_an_error(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "nvidia-cuda-tags-1.json").write_text('{"results": [], "next": null}', encoding="utf-8")
    with pytest.raises(Unrecognised, match="no tags"):
        images.collect_cuda(Saved(tmp_path), catalogue)


def test_a_project_of_pre_releases_only_is_an_error(catalogue: Catalogue, tmp_path: Path) -> None:
    for path in PAGES.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    lone = '{"files": [{"filename": "nvidia_nccl_cu12-2.0rc1-py3-none-any.whl", "url": "x"}]}'
    (tmp_path / "nvidia-nccl-cu12.json").write_text(lone, encoding="utf-8")
    with pytest.raises(Unrecognised, match="no release"):
        COLLECTORS["package-index"].collect(Saved(tmp_path), catalogue)


@pytest.mark.parametrize("text", ["", "Name: torch\nRequires-Dist: (((\n"])
def test_metadata_that_is_none(text: str) -> None:
    with pytest.raises(Unrecognised):
        read_requirements(text.encode(), os="linux", machine="x86_64", python="3.12")


def test_requirements_hold_where_their_markers_do() -> None:
    text = (
        "Name: torch\n"
        'Requires-Dist: triton==3.5.1; platform_system == "Linux" and python_version < "3.15"\n'
        'Requires-Dist: nvidia-nccl-cu12==2.*; platform_system == "Linux"\n'
        "Requires-Dist: numpy>=1,==1.26.*\n"
    )
    linux, windows, newer = (
        read_requirements(text.encode(), os=os, machine="x86_64", python=python)
        for os, python in (("linux", "3.14t"), ("windows", "3.12"), ("linux", "3.15"))
    )
    assert linux.pins == {"triton": "3.5.1"}
    assert linux.specifiers["nvidia-nccl-cu12"] == "==2.*"
    assert windows.pins == newer.pins == {}
    assert linux.cuda is None
