"""A catalogue of a handful of rows, written by hand, for what the real data does not (or must not) hold."""

from __future__ import annotations

from pathlib import Path

from matrices.build import compiled
from matrices.catalogue import Catalogue
from matrices.load import load
from resolver.engine import Engine

__all__ = ["small_engine"]

EVIDENCE = """
[evidence.seen]
kind = "reported"
link = "https://example.org/seen"
on = 2026-01-01

[defaults]
evidence = ["seen"]
"""

BASICS = """
[[capability]]
id = "7.0"
architecture = "Volta"
driven-by = { added = "R530", last = "R600" }

[[capability]]
id = "9.0"
architecture = "Hopper"
driven-by = { added = "R530" }

[[capability]]
id = "12.0"
architecture = "Blackwell"
driven-by = { added = "R570", added_driver = "570.10" }

[[package]]
id = "pip"
for-python = { version = "25.3" }

[[package]]
id = "setuptools"
for-python = { version = "80.9.0" }

[[package]]
id = "wheel"
for-python = { version = "0.45.1" }

[[package]]
id = "ninja"
for-python = { version = "1.11.1" }

[[branch]]
id = "R530"
number = 530
runs-cuda = { cuda = "12.1" }
released = { os = "linux", first = "530.10", latest = "530.90" }
lifecycle = { until = "2027-01" }

[[branch]]
id = "R570"
number = 570
runs-cuda = { cuda = "12.8" }
released = { os = "linux", first = "570.10", latest = "570.90" }
lifecycle = { until = "2028-01" }

[[branch]]
id = "R600"
number = 600
runs-cuda = { cuda = "13.0" }
released = { os = "linux", first = "600.10", latest = "600.90" }
lifecycle = { until = "2027-06" }

[[cuda-family]]
id = "11"
needs-driver = { os = "linux", driver = "450.80.02" }

[[cuda-family]]
id = "12"
needs-driver = [{ os = "linux", driver = "525.60.13" }, { os = "windows", driver = "528.33" }]

[[cuda-family]]
id = "13"
needs-driver = { os = "linux", driver = "580.10" }

[[toolkit]]
id = "12.6"
targets-cc = { sass = ["7.0", "9.0"], ptx = ["7.0", "9.0"] }

[[toolkit]]
id = "12.8"
targets-cc = { sass = ["7.0", "9.0", "12.0"], ptx = ["7.0", "9.0", "12.0"] }

[[toolkit]]
id = "13.0"
targets-cc = { sass = ["9.0", "12.0"], ptx = ["9.0", "12.0"] }

[[os]]
id = "linux"
name = "Linux"
family = "linux"

[[os]]
id = "wsl2"
name = "WSL2"
family = "linux"

[[os]]
id = "windows-11"
name = "Windows 11"
family = "windows"

[[os]]
id = "ubuntu-22.04"
name = "Ubuntu 22.04"
family = "linux"
ships = { glibc = "2.35", python = "3.10" }

[[os]]
id = "ubuntu-24.04"
name = "Ubuntu 24.04"
family = "linux"
ships = { glibc = "2.39", python = "3.12" }

[[os]]
id = "ubuntu-18.04"
name = "Ubuntu 18.04"
family = "linux"
ships = { glibc = "2.27", python = "3.10" }

[[os]]
id = "ubuntu-26.04"
name = "Ubuntu 26.04"
family = "linux"
ships = { glibc = "2.43", python = "3.14" }

[[os]]
id = "rocky-9"
name = "Rocky 9"
family = "linux"
ships = { glibc = "2.34", python = "3.12" }

[[os]]
id = "debian-12"
name = "Debian 12"
family = "linux"
ships = { glibc = "2.36", python = "3.11" }

[[os]]
id = "debian-13"
name = "Debian 13"
family = "linux"
ships = { glibc = "2.41", python = "3.13" }
"""

WHEELS = """
[[torch]]
id = "2.20.0"
pairs-with = [{ package = "torchvision", version = "0.35.0" }]

[[torch]]
id = "2.19.0"

[[wheel]]
id = "torch-2.20.0+cu128-linux-x86_64"
torch = "2.20.0"
variant = "cu128"
os = "linux"
machine = "x86_64"
channel = "pytorch-index"
built-with = { cuda = "12.8" }
embeds = { sass = ["7.0", "9.0", "12.0"], ptx = [] }
needs = { python = ["3.10", "3.12", "3.13"], glibc = "2.28" }

[[wheel]]
id = "torch-2.19.0+cu128-linux-x86_64"
torch = "2.19.0"
variant = "cu128"
os = "linux"
machine = "x86_64"
channel = "pytorch-index"
built-with = { cuda = "12.8" }
embeds = { sass = ["7.0", "9.0", "12.0"], ptx = [] }
needs = { python = ["3.10", "3.11", "3.12"], glibc = "2.28" }
"""


def small_engine(folder: Path, images: str, basics: str = BASICS, wheels: str = WHEELS) -> Engine:
    """An engine over the hand-written rows and the images given."""
    folder.mkdir(exist_ok=True)
    (folder / "about.toml").write_text('data_version = "2026.01.02"\n')
    for name, text in (("basics", basics), ("wheels", wheels), ("images", images)):
        (folder / f"{name}.toml").write_text(EVIDENCE + text)
    return Engine(Catalogue(compiled(load(folder))))
