"""`whichcuda ask` and `chat`: where the text comes from, how the answer is shown, exit statuses, and a conversation that remembers."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api import cli
from api.commands import ask as asking
from api.console import Console
from api.markdown import show_markdown
from assistant.assistant import MAX_MESSAGE, Assistant
from resolver.engine import Engine
from tests.api.test_cli import Terminal, process, run

ROOT = Path(__file__).parents[2]
NO_KERNEL = "CUDA error: no kernel image is available for execution on the device"


@pytest.fixture(autouse=True)
def one_assistant(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Assistant:
    """Commands in this process share one assistant."""
    assistant = Assistant(engine)
    monkeypatch.setattr(Assistant, "load", lambda: assistant)
    return assistant


def said(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


# --- ask --------------------------------------------------------------------------------------------------------------


def test_the_answer_is_markdown_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], one_assistant: Assistant
) -> None:
    status, out, err = run(capsys, "ask", NO_KERNEL, "on", "RTX 5090")
    assert (status, err) == (0, "")
    assert out == one_assistant.ask(f"{NO_KERNEL} on RTX 5090")["answer"]
    assert "```sh\npip install torch==" in out


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, one_assistant: Assistant, arguments: list[str]
) -> None:
    paste = f"Traceback\n{NO_KERNEL}\nRTX 5090\n"
    said(monkeypatch, paste)
    status, out, err = run(capsys, "ask", *arguments)
    assert (status, err) == (0, "")
    assert out == one_assistant.ask(paste)["answer"]


def test_json_and_context(capsys: pytest.CaptureFixture[str], one_assistant: Assistant) -> None:
    options = ["--context", "os=ubuntu-24.04", "--context", "gpu= RTX 3090", "--context", "gpu=RTX 5090"]
    status, out, _ = run(capsys, "ask", NO_KERNEL, *options, "--json")
    assert status == 0
    expected = one_assistant.ask(NO_KERNEL, (), {"gpu": "RTX 5090", "os": "ubuntu-24.04"})
    assert json.loads(out) == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (f"{NO_KERNEL}, RTX 5090, torch 2.6.0+cu124", 0),
        ("which CUDA for a GTX 1080 Ti?", 0),
        ("my gpu is not detected by torch", 3),
        ("my RX 7900 XTX does not work with ROCm", 3),
        ("how do I bake bread?", 3),
    ],
)
def test_exit_status(capsys: pytest.CaptureFixture[str], message: str, status: int) -> None:
    found, out, err = run(capsys, "ask", message)
    assert (found, err) == (status, "")
    assert out


@pytest.mark.parametrize(
    ("diagnosis", "fixes", "status"),
    [
        ({"id": "cpu_only_torch"}, [], 0),
        (None, [{"kind": "stack"}], 0),
        (None, [], 3),
        ({"id": "out_of_scope_amd"}, [], 3),
    ],
)
def test_exit_status_of_an_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, diagnosis: Any, fixes: Any, status: int
) -> None:
    answer = {"answer": "", "diagnosis": diagnosis, "fixes": fixes}
    monkeypatch.setattr(Assistant, "ask", lambda *_: answer)
    assert run(capsys, "ask", "x")[0] == status


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([" "], "there is no text"),
        (["x", "--context", "gpu"], "key=value"),
        (["x", "--context", "card=t4"], "gpu, driver, torch"),
        (["x", "--context", "gpu="], "at most 300 characters"),
        (["x", "--context", "gpu=" + "x" * 301], "at most 300 characters"),
        (["x", "--context", "gpu=t4\x1b[31m"], "one line"),
        (["x", "--context", "\x1b[31m"], "key=value"),
    ],
)
def test_bad_use(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    status, out, err = run(capsys, "ask", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("whichcuda: ")
    assert words in " ".join(err.split())
    assert "\x1b" not in err
    status, out, err = run(capsys, "ask", *arguments, "--json")
    assert (status, err) == (2, "")
    assert json.loads(out)["type"] == "invalid-request"
    if arguments[0] == "x":
        assert run(capsys, "chat", *arguments[1:])[0] == 2


def test_of_a_long_text_the_end_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, one_assistant: Assistant
) -> None:
    said(monkeypatch, "step 1 of 2 done\n" * (2 * MAX_MESSAGE // 17) + f"{NO_KERNEL}\nRTX 5090\n")
    status, out, err = run(capsys, "ask", "--json")
    assert (status, err) == (0, f"whichcuda: only the last {MAX_MESSAGE} characters are read\n")
    assert json.loads(out)["facts"]["gpu"]["value"] == "GeForce RTX 5090"


def test_the_help_tells_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["ask", "--help"])
    assert "3 undecided, not known or not about NVIDIA GPUs" in " ".join(capsys.readouterr().out.split())


def test_bytes_that_are_no_text() -> None:
    command = [sys.executable, "-m", "api.cli", "ask"]
    log = b"\xff\xfe\x00 " + NO_KERNEL.encode() + b"\nRTX 5090\n"
    done = subprocess.run(command, input=log, capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_whole_process_imports_no_web() -> None:
    code = (
        "import sys; from api.cli import main; status = main(['ask', 'which CUDA for a T4?']);"
        "print(sorted({'fastapi', 'starlette', 'uvicorn', 'pydantic', 'networkx', 'jinja2', 'readline'} & set(sys.modules)), status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] 0"


# --- on a terminal ----------------------------------------------------------------------------------------------------

PAGE = """**Cause: a wheel without code for the GPU**

The GPU is newer than every architecture this build was compiled for, so there is no code in it that the card could run.

```text
sm_120
```

1. Install a build whose architecture list contains the GPU; torch, torchvision and torchaudio belong **together**.

```sh
pip install torch==2.15.0 torchvision==0.29.2 torchaudio==2.11.1 --index-url https://download.pytorch.org/whl/cu130
```

- <https://pytorch.org/get-started/locally/>
"""
SHOWN = """Cause: a wheel without code for the GPU

The GPU is newer than every architecture this build was compiled for, so there
is no code in it that the card could run.

    sm_120

1. Install a build whose architecture list contains the GPU; torch, torchvision
   and torchaudio belong together.

    pip install torch==2.15.0 torchvision==0.29.2 torchaudio==2.11.1 --index-url https://download.pytorch.org/whl/cu130

- https://pytorch.org/get-started/locally/
"""


def shown(out: io.StringIO, **environment: str) -> str:
    show_markdown(PAGE, Console(out, environment))
    return out.getvalue()


def test_markdown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert shown(Terminal(), NO_COLOR="1") == SHOWN
    assert shown(Terminal(), TERM="dumb") == SHOWN
    coloured = shown(Terminal(), TERM="xterm")
    assert coloured.startswith("\x1b[1mCause: a wheel without code for the GPU\x1b[0m\n")
    assert coloured.replace("\x1b[1m", "").replace("\x1b[0m", "") == SHOWN


def test_markdown_elsewhere() -> None:
    assert shown(io.StringIO(), TERM="xterm") == PAGE


# --- chat -------------------------------------------------------------------------------------------------------------


def test_a_conversation_remembers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, one_assistant: Assistant
) -> None:
    heard: list[tuple[str, list[str], dict[str, str]]] = []

    def ask(message: str, history: Any, context: Any) -> dict[str, Any]:
        heard.append((message, [f"{turn.role}: {turn.content}" for turn in history], dict(context)))
        return {"answer": f"re {message}\n"}

    monkeypatch.setattr(one_assistant, "ask", ask)
    said(monkeypatch, "first\n\n  \nsecond\n/reset\nthird\n/quit\nfourth\n")
    status, out, err = run(capsys, "chat", "--context", "gpu=3090")
    assert (status, err) == (0, "")
    assert out == "\nre first\n\n\nre second\n\n\nre third\n\n"
    gpu = {"gpu": "3090"}
    assert heard == [
        ("first", [], gpu),
        ("second", ["user: first", "assistant: re first\n"], gpu),
        ("third", [], gpu),
    ]


def test_a_conversation_refines_the_diagnosis(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said(monkeypatch, "which PyTorch do I need?\nit is a 3090")
    status, out, _ = run(capsys, "chat")
    assert status == 0
    assert "GeForce RTX 3090" in out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_chat_on_a_terminal() -> None:
    """A paste of several lines is one message; Ctrl-D leaves."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.Popen(
        [sys.executable, "-m", "api.cli", "chat"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=ROOT,
        env=environment,
        close_fds=True,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""

    def until(mark: bytes) -> None:
        nonlocal seen
        while mark not in seen:
            assert select.select([ours], [], [], 60)[0], seen
            seen += os.read(ours, 65536)

    try:
        until(b"> ")
        os.write(ours, f"Traceback (most recent call last):\n{NO_KERNEL}\nRTX 5090\n".encode())
        until(b"\r\nSources\r\n")
        seen = seen.rpartition(b"\r\nSources\r\n")[2]
        until(b"\r\n> ")
        os.write(ours, b"\x04")
        assert done.wait(60) == 0
    finally:
        done.kill()
        done.wait()
        os.close(ours)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_ask_on_a_terminal_tells_what_it_waits_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = Terminal(f"{NO_KERNEL} on RTX 5090\n")
    monkeypatch.setattr(sys, "stdin", typed)
    status, _, err = run(capsys, "ask")
    assert (status, err) == (0, "Paste the text, then press Ctrl-D:\n")


def test_chat_where_lines_cannot_be_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without readline, and where only sockets can be waited for: each line is a message."""
    monkeypatch.setitem(sys.modules, "readline", None)
    monkeypatch.setattr(sys, "stdin", Terminal("which CUDA for a T4?\n"))
    status, out, _ = run(capsys, "chat")
    assert status == 0
    assert out.startswith(asking.WELCOME)
    assert "Tesla T4" in out


def test_pasted_lines_are_one_message(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    waiting = iter([True, False, False])
    monkeypatch.setattr(asking, "_more_waits", lambda: next(waiting))
    monkeypatch.setattr(
        Assistant,
        "load",
        lambda: type("Heard", (), {"ask": lambda _, text, *__: heard.append(text) or {"answer": ""}})(),
    )
    monkeypatch.setattr(sys, "stdin", Terminal("one\ntwo\nthree\n"))
    assert run(capsys, "chat")[0] == 0
    assert heard == ["one\ntwo", "three"]


def test_whole_processes() -> None:
    done = process("ask", stdin=f"{NO_KERNEL}\nRTX 5090\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("**Cause: ")
    assert process("chat", stdin="RTX 5090\n/quit\n").returncode == 0
