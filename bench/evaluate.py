"""How good the assistant is, on reports whose cause is known: `make eval`, or `python -m bench.evaluate`.

The reports are not part of the project: `--corpora` (or WHICHCUDA_FACTS) says where they are. `--records` takes a JSON list
of records or ids and restricts the measurement to them, which makes folds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from assistant.load import Library  # noqa: E402 - the folder above is not on the path of a script
from assistant.match import Diagnosis, Matcher  # noqa: E402 - the folder above is not on the path of a script
from assistant.reading import read  # noqa: E402 - the folder above is not on the path of a script
from resolver.engine import Engine  # noqa: E402 - the folder above is not on the path of a script

FILES = {"en": "symptoms_en.json", "zh": "symptoms_zh.json"}
UNDECIDABLE = "needs_more_info"


@dataclass(frozen=True)
class Record:
    """A report: what was written, which cause it had."""

    id: str
    language: str
    text: str
    cause: str
    accepted: frozenset[str]
    negative: bool


@dataclass
class Outcome:
    """What the assistant said to a report."""

    record: Record
    label: str
    decided: bool
    abstained: bool

    @property
    def right(self) -> bool:
        """Whether the first cause named is the cause, or one that the text allows as well."""
        return self.label in self.record.accepted

    @property
    def right_to_be_silent(self) -> bool:
        """For what cannot be answered: the label itself, or no answer."""
        return self.right or not self.decided or self.abstained


def load(facts: Path, only: set[str] | None) -> list[Record]:
    """The reports of both languages."""
    found = []
    for language, name in FILES.items():
        for row in json.loads((facts / name).read_text(encoding="utf-8"))["records"]:
            if only is None or row["id"] in only:
                accepted = frozenset([row["cause"], *row["also_acceptable"]])
                negative = row["negative"] or row["cause"].startswith("out_of_scope") or row["cause"] == UNDECIDABLE
                found.append(Record(row["id"], language, row["text"], row["cause"], accepted, negative))
    return found


class Assistant:
    """The assistant as it stands."""

    def __init__(self) -> None:
        self.engine = Engine.load()
        self.library = Library.load()
        self.matcher = Matcher(self.library, self.engine)

    def diagnose(self, text: str) -> Diagnosis:
        """What it says."""
        return self.matcher.diagnose(read(text, self.engine.names, self.engine.index.releases.spoken))

    def outcome(self, record: Record, text: str | None = None) -> Outcome:
        """What it says to a report, or to a changed text of it."""
        diagnosis = self.diagnose(record.text if text is None else text)
        if diagnosis.causes:
            label = diagnosis.causes[0].symptom.id
        else:
            label = diagnosis.scope.id if diagnosis.scope else UNDECIDABLE
        return Outcome(record, label, diagnosis.decided, diagnosis.abstain is not None)

    def group(self, label: str) -> str:
        """The group of a label."""
        symptom = self.library.symptoms.get(label)
        return symptom.group if symptom else "?"


# --- noise ------------------------------------------------------------------------------------------------------------


def _apt(draw: random.Random) -> str:
    name = draw.choice(
        ["libgtk-3-0", "tzdata", "curl", "openssl", "vim-common", "libxml2", "git", "python3-yaml", "rsync"]
    )
    version = (
        f"{draw.randint(1, 9)}.{draw.randint(0, 30)}.{draw.randint(0, 9)}-{draw.randint(1, 4)}build{draw.randint(1, 3)}"
    )
    site = "http://archive.ubuntu.com/ubuntu jammy-updates/main amd64"
    return draw.choice([
        f"Get:{draw.randint(1, 80)} {site} {name} amd64 {version} [{draw.randint(10, 900)} kB]",
        f"Unpacking {name} ({version}) ...",
        f"Setting up {name} ({version}) ...",
        f"Processing triggers for man-db ({version}) ...",
        f"Preparing to unpack .../{name}_{version}_amd64.deb ...",
    ])  # fmt: skip


def _kubelet(draw: random.Random) -> str:
    clock = f"{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}.{draw.randint(0, 999999):06}"
    pod = f"web-{draw.randrange(16**8):08x}-{draw.choice(['abcde', 'xk2lp', 'q9wzt'])}"
    said = draw.choice([
        f'"SyncLoop (PLEG): event for pod" pod="default/{pod}" event={{"Type":"ContainerStarted"}}',
        f'"Observed pod startup duration" pod="kube-system/{pod}" podStartSLOduration={draw.random() * 9:.3f}',
        f'"RemoveContainer" containerID="{draw.randrange(16**12):012x}"',
        f'"operationExecutor.MountVolume started for volume kube-api-access" pod="default/{pod}"',
    ])  # fmt: skip
    return f"I0{draw.randint(1, 9)}{draw.randint(10, 28)} {clock}    {draw.randint(900, 4000)} kubelet.go:{draw.randint(100, 2500)}] {said}"


def _training(draw: random.Random) -> str:
    step = draw.randint(1, 9000)
    return draw.choice([
        f"epoch {draw.randint(1, 90)} | step {step}/9000 | loss {draw.random() * 4:.4f} | lr {draw.random() / 1e4:.2e} | {draw.random():.2f} s/it",
        f" {step // 90}%|{'█' * (step // 900)}{' ' * (10 - step // 900)}| {step}/9000 [{draw.randint(0, 59):02}:{draw.randint(0, 59):02}<{draw.randint(1, 3)}:12:05, {draw.random() * 5:.2f}it/s]",
        f"[{draw.randint(2023, 2026)}-0{draw.randint(1, 9)}-{draw.randint(10, 28)} 1{draw.randint(0, 9)}:{draw.randint(10, 59)}:{draw.randint(10, 59)}] INFO eval accuracy={draw.random():.4f}",
        f"Saving checkpoint to runs/exp{draw.randint(1, 40)}/step_{step}.ckpt",
    ])  # fmt: skip


def _systemd(draw: random.Random) -> str:
    clock = f"{draw.choice(['Jan', 'Mar', 'Jun', 'Nov'])} {draw.randint(1, 28):2} {draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}"
    said = draw.choice([
        "systemd[1]: Started Daily apt download activities.",
        f"systemd[1]: session-{draw.randint(1, 400)}.scope: Deactivated successfully.",
        f"sshd[{draw.randint(900, 99999)}]: Accepted publickey for deploy from 10.0.{draw.randint(0, 9)}.{draw.randint(2, 250)} port {draw.randint(30000, 60000)} ssh2",
        f"CRON[{draw.randint(900, 99999)}]: (root) CMD (command -v debian-sa1 > /dev/null && debian-sa1 1 1)",
        "systemd-resolved[702]: Clock change detected. Flushing caches.",
        f"NetworkManager[811]: <info>  dhcp4 (eno1): state changed bound -> bound, lease {draw.randint(600, 7200)}",
        f"rsyslogd: [origin software=\"rsyslogd\" x-pid=\"{draw.randint(300, 900)}\"] rsyslogd was HUPed",
    ])  # fmt: skip
    return f"{clock} node{draw.randint(1, 40)} {said}"


def _nginx(draw: random.Random) -> str:
    stamp = f"{draw.randint(1, 28):02}/Nov/2025:{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02} +0000"
    path = draw.choice(["/", "/api/v1/items?page=2", "/static/app.js", "/login", "/healthz"])
    status = draw.choice([200, 200, 200, 304, 404, 499, 502])
    return f'10.1.{draw.randint(0, 9)}.{draw.randint(2, 250)} - - [{stamp}] "GET {path} HTTP/1.1" {status} {draw.randint(100, 90000)} "-" "Mozilla/5.0 (X11; rv:128.0)"'


def _postgres(draw: random.Random) -> str:
    stamp = f"{draw.randint(2023, 2026)}-1{draw.randint(0, 2)}-{draw.randint(10, 28)} {draw.randint(10, 23)}:{draw.randint(10, 59)}:{draw.randint(10, 59)}.{draw.randint(100, 999)} UTC"
    said = draw.choice(
        [
            f"LOG:  checkpoint complete: wrote {draw.randint(10, 9000)} buffers ({draw.random():.1f}%)",
            f'ERROR:  duplicate key value violates unique constraint "users_{draw.randint(1, 9)}_key"',
            f"STATEMENT:  SELECT * FROM orders WHERE id = {draw.randint(1, 99999)}",
            'FATAL:  password authentication failed for user "app"',
        ]
    )
    return f"{stamp} [{draw.randint(100, 9999)}] {said}"


def _web_build(draw: random.Random) -> str:
    return draw.choice(
        [
            f"{draw.randrange(16**12):012x}: Pull complete",
            f"npm warn deprecated left-pad@1.{draw.randint(0, 3)}.0: use String.prototype.padStart()",
            f"added {draw.randint(100, 900)} packages in {draw.randint(2, 40)}s",
            f"    at org.example.service.OrderService.load(OrderService.java:{draw.randint(10, 400)})",
            f"WARN  c.z.h.pool.HikariPool - HikariPool-1 - Thread starvation or clock leap detected ({draw.randint(40, 90)}s)",
        ]
    )


NOISES: tuple[Callable[[random.Random], str], ...] = (
    _apt,
    _kubelet,
    _training,
    _systemd,
    _nginx,
    _postgres,
    _web_build,
)


def in_noise(text: str, seed: str, lines: int = 40) -> str:
    """The text in the middle of unrelated log: each half from one program, or from all of them in turn."""
    draw = random.Random(seed)
    kinds = draw.choice([*((kind,) for kind in NOISES), NOISES])
    noise = [kinds[at % len(kinds)](draw) for at in range(lines)]
    return "\n".join([*noise[: lines // 2], *text.splitlines(), *noise[lines // 2 :]])


def last_lines(text: str, count: int = 5) -> str:
    """The last lines of a text that hold anything."""
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


# --- tables -----------------------------------------------------------------------------------------------------------


def share(outcomes: Iterable[Outcome], right: Callable[[Outcome], bool] = lambda each: each.right) -> tuple[int, int]:
    """How many are right, of how many."""
    known = list(outcomes)
    return sum(map(right, known)), len(known)


def percent(counted: tuple[int, int]) -> str:
    """`12/15  80.0 %`."""
    right, of = counted
    return f"{right:4}/{of:<4} {100 * right / of:6.1f} %" if of else "   -"


@dataclass
class Report:
    """What was measured."""

    outcomes: list[Outcome]
    noisy: list[Outcome]
    cut: list[Outcome]
    milliseconds: list[float] = field(default_factory=list)


def measure(assistant: Assistant, records: Sequence[Record]) -> Report:
    """Every report as it is, in noise, and cut."""
    outcomes, milliseconds = [], []
    for record in records:
        start = time.perf_counter()
        outcomes.append(assistant.outcome(record))
        milliseconds.append(1000 * (time.perf_counter() - start))
    noisy = [assistant.outcome(record, in_noise(record.text, record.id)) for record in records]
    cut = [assistant.outcome(record, last_lines(record.text)) for record in records]
    return Report(outcomes, noisy, cut, milliseconds)


def tables(assistant: Assistant, report: Report) -> Iterator[str]:
    """The lines of the report."""
    good = [each for each in report.outcomes if not each.record.negative]
    bad = [each for each in report.outcomes if each.record.negative]
    yield "top-1 right (the cause, or one that the text allows as well)"
    for language in (*FILES, ""):
        mine = [each for each in report.outcomes if each.record.language == language or not language]
        yield f"  {language or 'all':12} {percent(share(mine))}   answered without asking back: {percent(share(mine, lambda each: each.decided))}"
    yield "by group of the cause"
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for each in report.outcomes:
        groups[assistant.group(each.record.cause)].append(each)
    for group, each_of in sorted(groups.items()):
        yield f"  {group:12} {percent(share(each_of))}"
    yield "what cannot be answered (groups N and M): the label itself, or no answer"
    yield f"  {'':12} {percent(share(bad, lambda each: each.right_to_be_silent))}"
    yield "what can be answered, yet was called out of scope or unknown"
    yield f"  {'':12} {percent(share(good, lambda each: each.abstained))}"
    yield "robustness: top-1 as it is, in 40 lines of unrelated log, cut to its last 5 lines"
    for name, outcomes in (("as it is", report.outcomes), ("in noise", report.noisy), ("cut", report.cut)):
        yield f"  {name:12} {percent(share(outcomes))}"
    yield f"time: median {sorted(report.milliseconds)[len(report.milliseconds) // 2]:.2f} ms, most {max(report.milliseconds):.2f} ms"


def confusions(report: Report, most: int = 10) -> Iterator[str]:
    """What was taken for what, most frequent first."""
    wrong = [each for each in report.outcomes if not each.right]
    counted = Counter((each.record.cause, each.label) for each in wrong)
    for (cause, label), count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:most]:
        ids = " ".join(each.record.id for each in wrong if (each.record.cause, each.label) == (cause, label))
        yield f"  {count} x  {cause}  taken for  {label}   ({ids})"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 0 always: the figures are for people."""
    parser = argparse.ArgumentParser(description="Measure the assistant on reports whose cause is known.")
    parser.add_argument(
        "--corpora",
        "--facts",
        type=Path,
        default=Path(os.environ.get("WHICHCUDA_FACTS", ROOT.parent / "shared" / "facts")),
    )
    parser.add_argument("--records", type=Path, nargs="*", help="JSON lists of ids or records to restrict to")
    parser.add_argument("--wrong", action="store_true", help="print every report that was taken for something else")
    options = parser.parse_args(arguments)
    only = _ids(options.records) if options.records else None
    if not all((options.corpora / name).exists() for name in FILES.values()):
        print(f"no reports in {options.corpora}: say where they are with --corpora or WHICHCUDA_FACTS")
        return 2
    assistant = Assistant()
    records = load(options.corpora, only)
    assistant.outcome(records[0])
    report = measure(assistant, records)
    print("\n".join(tables(assistant, report)))
    print("worst confusions")
    print("\n".join(confusions(report)))
    if options.wrong:
        print("\n".join(_shown(report)))
    return 0


def _ids(paths: Iterable[Path]) -> set[str]:
    rows: list[Any] = [row for path in paths for row in json.loads(path.read_text(encoding="utf-8"))]
    return {row if isinstance(row, str) else row["id"] for row in rows}


def _shown(report: Report) -> Iterator[str]:
    for name, outcomes in (("", report.outcomes), ("in noise", report.noisy), ("cut", report.cut)):
        for plain, each in zip(report.outcomes, outcomes, strict=True):
            if not each.right and (not name or plain.right):
                yield f"{name or 'WRONG'} {each.record.id} {each.record.cause} -> {each.label}{'' if each.decided else ' ?'}"
                if not name:
                    yield "    " + each.record.text.replace("\n", "\n    ")[:600]


if __name__ == "__main__":
    sys.exit(main())
