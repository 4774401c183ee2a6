"""`make bench`: how fast the project is, beside the aims. Ratios are between numbers of this one run.

Counts are bounded; everything happens on this machine, over the loopback address only.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from matrices.catalogue import Catalogue  # noqa: E402 - the folder above is not on the path of a script
from resolver.engine import Asked, Engine  # noqa: E402 - as above

GPUS = (
    *("K80", "Tesla M60", "GTX 970", "GTX 1080 Ti", "Tesla P100", "V100", "Titan V", "RTX 2080 Ti", "T4", "GTX 1660"),
    *("A100 40GB", "A100 80GB", "RTX 3060 12GB", "RTX 3090", "A10", "A40", "RTX A6000", "L4", "L40S", "RTX 4060"),
    *("RTX 4090", "H100", "H200", "B200", "RTX 5060", "RTX 5080", "rtx5090", "sm_86", "cc 9.0", "10de:2b85"),
)
DRIVERS = (None, "470", "525", "535.183.01", "550", "570", "570.124.06", "580", "580.95.05", "590")
PYTHONS = (None, "3.9", "3.10", "3.11", "3.12", "3.13")
CONNECTIONS = 4
REQUESTS = 250  # a round and target; all rounds together ask each question of the grid at most once
ROUNDS = 6


def grid() -> list[dict[str, str]]:
    """Every question of the grid as a body, in an order that mixes GPUs."""
    bodies = [
        {name: value for name, value in (("gpu", gpu), ("driver", driver), ("python", python)) if value is not None}
        for python, driver, gpu in product(PYTHONS, DRIVERS, GPUS)
    ]
    return [bodies[(number * 997) % len(bodies)] for number in range(len(bodies))]


# --- in this process ----------------------------------------------------------------------------------------------


def resolve_times(engine: Engine) -> list[float]:
    """Milliseconds for each question of the grid, asked once."""
    found = []
    for body in grid():
        asked = Asked(gpus=[body["gpu"]], driver=body.get("driver"), python=body.get("python"))
        start = time.perf_counter()
        engine.resolve(asked)
        found.append((time.perf_counter() - start) * 1000)
    return found


def percentile(values: Iterable[float], share: float) -> float:
    """The value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def load_times(count: int = 7) -> tuple[float, float]:
    """Milliseconds to read the catalogue, and to build the engine on it: medians."""
    reading, building = [], []
    for _ in range(count):
        start = time.perf_counter()
        catalogue = Catalogue.load()
        middle = time.perf_counter()
        Engine(catalogue)
        reading.append((middle - start) * 1000)
        building.append((time.perf_counter() - middle) * 1000)
    return statistics.median(reading), statistics.median(building)


def enlarged(times: int) -> Catalogue:
    """The catalogue with every torch release and wheel, and all that is said of them, `times` times over."""
    plain: dict[str, Any] = json.loads((ROOT / "matrices" / "catalogue.json").read_bytes())
    torches = [row["id"] for row in plain["entities"]["torch"]]

    def renamed(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
        return {
            name: value.replace(old, new) if isinstance(value, str) and name in ("id", "subject", "torch") else value
            for name, value in row.items()
        }

    def version_of(row: dict[str, Any]) -> str | None:
        subject = str(row.get("subject", row["id"]))
        text = str(row.get("torch") or subject.removeprefix("torch-").partition("+")[0])
        return text if text in torches else None

    sections = [("entities", ("torch", "wheel"))]
    sections += [("claims", tuple(name for name in plain["claims"] if name.startswith(("wheel-", "torch-"))))]
    for section, names in sections:
        for name in names:
            rows = plain[section][name]
            for row in list(rows):
                old = version_of(row)
                if old is None:
                    continue
                major, minor, micro = old.split(".")
                rows += [renamed(row, old, f"{major}.{minor}.{number}{micro}") for number in range(1, times)]
    return Catalogue(plain)


# --- as a process -------------------------------------------------------------------------------------------------


def process_times(count: int = 11) -> float:
    """Seconds for `whichcuda resolve rtx5090` as a whole process: median."""
    script = Path(sys.executable).parent / "whichcuda"
    command = [str(script)] if script.exists() else [sys.executable, "-m", "api.cli"]
    found = []
    for _ in range(count):
        start = time.perf_counter()
        subprocess.run([*command, "resolve", "rtx5090"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        found.append(time.perf_counter() - start)
    return statistics.median(found)


# --- over HTTP ----------------------------------------------------------------------------------------------------


def request_bytes(prefix: str, number: int, body: dict[str, str]) -> bytes:
    """One POST as it goes over the wire."""
    content = json.dumps(body).encode()
    head = f"POST {prefix}/resolve HTTP/1.1\r\nhost: bench\r\nx-number: {number}\r\ncontent-type: application/json\r\n"
    return head.encode() + f"content-length: {len(content)}\r\n\r\n".encode() + content


async def ask_all(port: int, requests: Sequence[bytes]) -> float:
    """Requests a second over a few connections that each ask one after the other."""

    async def worker(mine: Sequence[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in mine:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(length)
        writer.close()
        await writer.wait_closed()

    start = time.perf_counter()
    await asyncio.gather(*(worker(requests[first::CONNECTIONS]) for first in range(CONNECTIONS)))
    return len(requests) / (time.perf_counter() - start)


def http_rates() -> dict[str, float]:
    """Requests a second by what was asked of whom: medians over rounds in which all take turns."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([sys.executable, str(ROOT / "bench" / "server.py"), str(port)], cwd=ROOT)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        return asyncio.run(_rates(port))
    finally:
        server.terminate()
        server.wait(timeout=10)


async def _rates(port: int) -> dict[str, float]:
    questions = list(enumerate(grid()))
    repeated = [(number, body) for number, body in questions if body == {"gpu": "rtx5090"}] * REQUESTS
    rates: dict[str, list[float]] = {}
    for turn in range(ROUNDS + 1):
        first = (turn * REQUESTS) % len(questions)
        varied = (questions + questions)[first : first + REQUESTS]
        for kind, chosen in (("varied", varied), ("again", varied), ("repeated", repeated)):
            for prefix in ("/bare", "/fresh", "/kept"):
                rate = await ask_all(port, [request_bytes(prefix, number, body) for number, body in chosen])
                if turn:  # the first round warms up
                    rates.setdefault(f"{kind}{prefix}", []).append(rate)
    return {name: statistics.median(found) for name, found in rates.items()}


# --- the table ----------------------------------------------------------------------------------------------------


def main() -> int:
    rows: list[tuple[str, str, str, bool | None]] = []

    def row(name: str, value: float, unit: str, aim: float | None = None, least: bool = False) -> None:
        met = None if aim is None else value >= aim if least else value <= aim
        rows.append(
            (name, f"{value:.3g} {unit}".strip(), "" if aim is None else f"{'>=' if least else '<='} {aim:g}", met)
        )

    reading, building = load_times()
    row("read the catalogue", reading, "ms")
    row("build the engine on it", building, "ms")
    times = resolve_times(Engine.load())
    row(f"resolve, uncached, {len(times)} questions: median", statistics.median(times), "ms", 0.3)
    row("  99th percentile", percentile(times, 0.99), "ms", 2)
    row("whichcuda resolve rtx5090, whole process", process_times(), "s", 0.4)
    larger = Engine(enlarged(10))
    wheels = len(larger.index.builds) / len(Engine.load().index.builds)
    slower = resolve_times(larger)
    row(
        f"growth with {wheels:.0f} times the wheels: median",
        statistics.median(slower) / statistics.median(times),
        "x",
        2,
    )
    row("  99th percentile", percentile(slower, 0.99) / percentile(times, 0.99), "x")
    rates = http_rates()
    kinds = {"varied": "questions of the grid, each new", "again": "the same once more", "repeated": "one question"}
    for kind, asked in kinds.items():
        bare = rates[f"{kind}/bare"]
        row(f"HTTP, {asked}: bare endpoint", bare, "/s")
        row("  /resolve, answers kept (the default), of bare", rates[f"{kind}/kept"] / bare, "", 0.7, least=True)
        row("  /resolve, answers not kept, of bare", rates[f"{kind}/fresh"] / bare, "")

    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, data {larger.data_version}\n")
    widths = [max(len(str(line[column])) for line in rows) for column in (0, 1, 2)]
    for name, value, aim, met in rows:
        verdict = "" if met is None else "ok" if met else "MISSED"
        print(f"{name:<{widths[0]}}  {value:>{widths[1]}}  {aim:<{widths[2]}}  {verdict}".rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
