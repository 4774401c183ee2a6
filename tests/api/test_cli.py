"""The command line: exit statuses, what is printed where, and what must not be imported."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api import VERSION, cli
from api.commands import serve as serving
from api.console import Console
from api.ladder import show_resolve
from resolver.engine import Asked, Engine

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def one_engine(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process share the engine of the tests."""
    monkeypatch.setattr(Engine, "load", lambda: engine)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


def process(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "api.cli", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_resolve_is_a_ladder_that_ends_in_the_action(capsys: pytest.CaptureFixture[str], engine: Engine) -> None:
    status, out, err = run(capsys, "resolve", "rtx5090", "--os", "ubuntu-24.04")
    assert (status, err) == (0, "")
    stack = engine.resolve(Asked(["rtx5090"], os="ubuntu-24.04"))["stacks"][0]
    lines = out.splitlines()
    label = f"{stack['torch']['version']}+{stack['torch']['variant']}"
    assert lines[0] == f"yes: torch {label} works on GeForce RTX 5090"
    rungs = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert rungs[:5] == ["GPU", "driver", "CUDA", "torch", "image"]
    assert lines[-1] == f"  {stack['install']['pip']}"
    assert f"  {stack['driver']['install']['commands'][0]}" in lines
    assert "\x1b" not in out


def test_it_fits_80_columns_but_for_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for question in (
        ["v100", "rtx5090"],
        ["RTX PRO 6000 Blackwell Max-Q Workstation Edition", "--why"],
        ["gtx 970", "--driver", "590"],
    ):
        _, out, _ = run(capsys, "resolve", *question)
        long = [line for line in out.splitlines() if len(line) > 80]
        assert all(" install " in line or line.strip().startswith("http") for line in long), long


def test_why_names_sources(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "resolve", "rtx5090", "--why")
    assert "\nWhy:\n" in out
    assert "  measured: " in out.replace("    ", "  ")


def test_no_tells_the_conflict_and_a_fix(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "resolve", "rtx5090", "--torch", "2.6.0+cu124")
    assert status == 1
    assert out.startswith("no: these do not go together: torch 2.6.0+cu124, gpu GeForce RTX 5090\n")
    assert "has no code for GeForce RTX 5090" in out
    assert out.splitlines()[-1].strip().startswith("pip install torch==")


def test_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "resolve", "rtx5090", "--torch", "2.99")
    assert status == 3
    assert out.startswith("unknown: ")
    status, out, _ = run(capsys, "resolve", "drive agx orin")
    assert status == 3
    assert "JetPack" in out


def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "check", "a100", "--driver", "535.183.01", "--torch", "2.6.0+cu124")
    assert (status, out.splitlines()[0]) == (0, "yes: this stack works")
    assert "minor-version compatibility" in out
    status, out, _ = run(capsys, "check", "rtx5090", "--torch", "2.6.0+cu124")
    assert (status, out.splitlines()[0]) == (1, "no: this stack does not work")
    assert "\n  error    torch 2.6.0+cu124 has no code" in out
    status, out, _ = run(capsys, "check", "t4", "--package", "no-such-package")
    assert (status, out.splitlines()[0]) == (3, "unknown: it is not known whether this stack works")


def test_json_is_the_answer(capsys: pytest.CaptureFixture[str], engine: Engine) -> None:
    status, out, _ = run(
        capsys, "resolve", "v100", "rtx5090", "--driver", "570", "--prefer", "conservative", "--limit", "2", "--json"
    )
    asked = Asked(["v100", "rtx5090"], driver="570", prefer="conservative", limit=2)
    assert status == 0
    assert json.loads(out) == json.loads(json.dumps(engine.resolve(asked)))
    status, out, _ = run(capsys, "check", "rtx5090", "--torch", "2.6.0+cu124", "--json")
    assert (status, json.loads(out)["verdict"]) == (1, "no")


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["resolve", "rtx 9999"], "unknown-gpu"),
        (["resolve", "rx 7900 xtx"], "not-nvidia"),
        (["check", "t4", "--driver", "12.8"], "unknown-version"),
        (["check"], "invalid-request"),
        (["dockerfile", "t4", "--torch", ">=2.8,<2.7"], "invalid-request"),
        (["resolve", "t4\x1b[31m"], "unknown-gpu"),
        (["resolve", "x" * 10_000], "unknown-gpu"),
    ],
)
def test_bad_use(capsys: pytest.CaptureFixture[str], arguments: list[str], kind: str) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("whichcuda: ")
    assert "\x1b" not in err
    assert len(err) < 1_500
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err) == (2, "")
    assert json.loads(out)["type"] == kind


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["resolve"],
        ["explode"],
        ["resolve", "t4", "--limit", "0"],
        ["resolve", "t4", "--limit", "x"],
        ["resolve", "t4", "--driv", "5"],
    ],
)
def test_bad_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage: whichcuda" in capsys.readouterr().err


def test_candidates_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "gpus", "--architecture", "Ampire")
    assert status == 2
    assert "Did you mean one of these?\n  Ada Lovelace\n" in err
    assert run(capsys, "gpus", "--architecture", "Ampire", "--json")[0] == 2


def test_unquoted_names(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(capsys, "resolve", "RTX", "5090")
    assert err.endswith("quote its name:\n  whichcuda resolve 'RTX 5090'\n")
    _, _, err = run(capsys, "resolve", "banana", "split")
    assert "quote" not in err


def test_names_from_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "GPU 0: Tesla T4 (UUID: GPU-5f1d)\n\nGPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-77aa)\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(listed))
    status, out, _ = run(capsys, "resolve", "-", "--json")
    assert status == 0
    assert [gpu["compute_capability"] for gpu in json.loads(out)["gpus"]] == ["7.5", "8.0"]


def test_dockerfile(capsys: pytest.CaptureFixture[str], engine: Engine, tmp_path: Path) -> None:
    status, out, err = run(capsys, "dockerfile", "rtx5090", "--workload", "build")
    assert (status, err) == (0, "")
    assert out == engine.dockerfile(Asked(["rtx5090"]), "cuda", "build")
    target = tmp_path / "my Dockerfile"
    status, out, err = run(capsys, "dockerfile", "rtx5090", "-o", str(target))
    assert (status, out) == (0, "")
    assert target.read_text(encoding="utf-8").count("FROM nvidia/cuda:") == 1
    assert err.splitlines()[-1].strip().startswith("docker build -t torch-gpu -f '")
    status, _, err = run(capsys, "dockerfile", "rtx5090", "-o", str(tmp_path / "no" / "where"))
    assert status == 2
    assert "No such file or directory" in " ".join(err.split())


def test_build(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "build", "h100", "--cuda", "12.8", "--os", "ubuntu-24.04")
    assert (status, out.splitlines()[0]) == (0, "yes: compile with CUDA 12.8 for H100")
    assert 'export TORCH_CUDA_ARCH_LIST="9.0"' in out
    status, out, _ = run(capsys, "build", "h100", "--torch", "2.15.0", "--compiler", "gcc-16")
    assert (status, out.splitlines()[0]) == (
        1,
        "no: compiling with CUDA 13.2 does not work as asked for H100, the one of torch",
    )
    assert "9.0a" in out
    assert "GCC 15" in out
    status, out, _ = run(capsys, "build", "v100", "--cuda", "13.0")
    assert (status, out.splitlines()[0]) == (1, "no: no toolkit is known for Tesla V100")


def test_dockerfile_without_a_stack(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "dockerfile", "gtx 970", "--driver", "590")
    assert (status, out) == (1, "")
    assert "no longer drives GeForce GTX 970" in err
    assert "What would work:" in err
    status, out, err = run(capsys, "dockerfile", "gtx 970", "--driver", "590", "--json")
    assert (status, err) == (1, "")
    assert json.loads(out)["type"] == "no-stack"


def test_gpus(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "gpus", "rtx", "5090")
    assert status == 0
    assert " 12.0  Blackwell     GeForce RTX 5090\n" in out
    status, out, _ = run(capsys, "gpus", "--compute-capability", "9.0", "--json")
    assert {row["compute_capability"] for row in json.loads(out)["gpus"]} == {"9.0"}
    status, out, err = run(capsys, "gpus", "banana")
    assert (status, out, err) == (1, "", "whichcuda: no GPU that is known fits\n")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"whichcuda {VERSION}\n"


def test_a_failure_is_no_verdict(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Engine:
        raise RuntimeError("broken")

    monkeypatch.setattr(Engine, "load", fail)
    status, _, err = run(capsys, "resolve", "t4")
    assert status == 70
    assert "RuntimeError: broken" in err


def test_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> Engine:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "load", interrupt)
    assert cli.main(["resolve", "t4"]) == 130


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_is_only_an_addition(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    answer = engine.resolve(Asked(["rtx5090", "v100"]))

    def shown(out: io.StringIO, **environment: str) -> str:
        show_resolve(answer, Console(out, environment))
        return out.getvalue()

    plain = shown(io.StringIO(), TERM="xterm")
    coloured = shown(Terminal(), TERM="xterm")
    assert shown(Terminal(), TERM="xterm", NO_COLOR="1") == plain
    assert shown(Terminal(), TERM="dumb") == plain
    assert "\x1b[32myes\x1b[0m" in coloured
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_serve(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, Any] = {}
    monkeypatch.setattr(serving.uvicorn, "run", lambda target, **options: called.update(options, target=target))
    status, out, _ = run(capsys, "serve", "--host", "::1", "--port", "8123", "--workers", "2")
    assert status == 0
    assert "http://[::1]:8123/" in out
    assert out.splitlines()[-1] == "  curl 'http://[::1]:8123/resolve?gpu=rtx5090'"
    assert (called["target"], called["factory"], called["workers"], called["access_log"]) == (
        "api.app:create_app",
        True,
        2,
        False,
    )
    assert called["log_config"]["loggers"]["whichcuda"]["level"] == "INFO"


def test_a_whole_process_imports_little() -> None:
    code = (
        "import sys; from api.cli import main; status = main(['resolve', 'rtx5090']);"
        "heavy = {'fastapi', 'starlette', 'uvicorn', 'pydantic', 'networkx', 'rapidfuzz', 'jinja2', 'asyncio'} & set(sys.modules);"
        "print(sorted(heavy), status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] 0"
    assert done.stderr == ""


def test_whole_processes() -> None:
    done = process("resolve", "-", stdin="rtx5090\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("yes: ")
    assert process("resolve", "rtx 9999").returncode == 2


def test_a_reader_that_leaves_early() -> None:
    shell = f"'{sys.executable}' -m api.cli gpus --json | head -c 100 > /dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_measure_says_what_it_cannot_measure(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "measure", "wheel", "--file", "missing.whl")
    assert (status, out) == (1, "")
    assert err.startswith("measure: missing.whl: No such file")
    with pytest.raises(SystemExit, match="2"):
        cli.main(["measure", "gpu"])
