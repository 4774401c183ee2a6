"""`doctor` and `install` on a terminal, over invented machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from api.cli import main, parser
from api.commands.doctor import doctor
from api.commands.install import install
from api.doctor.outside import Here, Ran
from api.doctor.probes.examine import PROBES
from tests.api.doctor import machines as m

Printed = pytest.CaptureFixture[str]


def run_doctor(machine: m.Machine, *arguments: str) -> int:
    return doctor(parser().parse_args(["doctor", *arguments]), machine, today="2026-11-30")


def run_install(machine: m.Machine, *arguments: str, ran: list[Sequence[str]] | None = None, code: int = 0) -> int:
    def run(command: Sequence[str]) -> int:
        assert ran is not None
        ran.append(command)
        return code

    return install(parser().parse_args(["install", *arguments]), machine, run)


# --- doctor -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("machine", "status"), [(m.HEALTHY, 0), (m.NO_DRIVER, 1), (m.HANGS, 3)])
def test_the_exit_status_is_the_verdict(machine: m.Machine, status: int, capsys: Printed) -> None:
    assert run_doctor(machine) == status
    assert capsys.readouterr().out


def test_what_fits_is_said_at_the_end(capsys: Printed) -> None:
    run_doctor(m.NO_DRIVER)
    told = capsys.readouterr().out
    assert "NO  No usable NVIDIA driver is installed." in told
    assert "         sudo apt install nvidia-driver-580-open" in told
    assert told.rstrip().splitlines()[-1].startswith("  pip install torch==")


def test_a_build_without_a_variant_has_none_in_its_name(capsys: Printed) -> None:
    run_doctor(m.JETSON.with_(programs={"python": Ran(0, json.dumps({"python": "3.10.12", "packages": {}}))}))
    shown = capsys.readouterr().out
    assert "The newest that fits this machine is torch 2." in shown
    assert "+None" not in shown


def test_json_holds_the_machine_the_findings_and_the_stack(capsys: Printed) -> None:
    assert run_doctor(m.WRONG_TORCH, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "no"
    assert told["machine"]["driver"] == "570.133.20"
    assert told["stack"]["torch"]["version"]
    assert {"id", "verdict", "text", "steps", "symptom", "because"} == set(told["findings"][0])
    assert any(reason["rule"] == "sass" for each in told["findings"] for reason in each["because"])


def test_a_report_holds_nothing_of_a_person(capsys: Printed) -> None:
    machine = m.TORCH_BROKEN.with_(environment={"VIRTUAL_ENV": "/home/ada/secret", "CUDA_VISIBLE_DEVICES": "GPU-1234"})
    run_doctor(machine, "--report")
    text = capsys.readouterr().out
    told = json.loads(text)
    assert told["kind"] == "machine"
    assert told["measured_on"] == "2026-11-30"
    assert told["gpus"][0]["name"] == "NVIDIA GeForce RTX 5090"
    for private in ("ada", "secret", "GPU-1234", "0000:01:00.0", "libcudnn", "6.8.0-45"):
        assert private not in text


def test_what_is_said_takes_the_place_of_what_is_seen(capsys: Printed) -> None:
    arguments = ("--gpu", "V100", "--driver", "535.54.03", "--os", "rocky-9", "--python", "3.11", "--machine", "x86_64")
    run_doctor(m.NO_GPU, *arguments, "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["machine"]["gpus"][0]["name"] == "V100"
    assert told["stack"]["driver"]["installed"] == "535.54.03"


def test_saved_texts_take_the_place_of_probes(tmp_path: Path, capsys: Printed) -> None:
    saved = tmp_path / "pci.txt"
    saved.write_text("0000:01:00.0 10de:1eb8 030200 nouveau\n")
    assert run_doctor(m.NO_GPU, "--from", f"pci={saved}", "--skip", "docker") == 1
    assert "Nouveau" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "pci"),
        ("--from", "moon=x"),
        ("--from", "pci=/nowhere"),
        ("--paste", "/nowhere"),
        ("--stack", "/nowhere"),
    ],
)
def test_bad_use_is_said(arguments: tuple[str, ...], capsys: Printed) -> None:
    assert run_doctor(m.NO_GPU, *arguments) == 2
    assert capsys.readouterr().err.startswith("whichcuda: ")


@pytest.mark.parametrize("limit", ["0", "-1", "4000", "soon"])
def test_a_time_limit_is_seconds(limit: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        parser().parse_args(["doctor", "--time-limit", limit])
    assert stopped.value.code == 2


def test_text_of_another_machine(tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    saved = tmp_path / "log.txt"
    saved.write_text("RTX 5090, driver 550.54.14, Ubuntu 24.04\n")
    assert main(["doctor", "--paste", str(saved)]) == 1
    assert "550.54.14 is too old for GeForce RTX 5090" in " ".join(capsys.readouterr().out.split())
    monkeypatch.setattr("sys.stdin", io.StringIO("RTX 4090, driver 580.95.05"))
    assert main(["doctor", "--paste", "-"]) == 0
    assert "pip install torch==" in capsys.readouterr().out


def kernels(**said: str) -> Ran:
    device = {"name": "NVIDIA GeForce RTX 5090", "compute_capability": "12.0", "kernels": {"float32": "ok", **said}}
    return Ran(0, json.dumps({"torch": "2.14.1+cu130", "cuda": "13.0", "available": True, "devices": [device]}) + "\n")


@pytest.mark.parametrize(
    ("ran", "status", "words"),
    [
        (kernels(bfloat16="ok", float8_e4m3fn="not offered"), 0, "ok Kernels ran on 1 GPU(s) for bfloat16, float32."),
        (kernels(int8="RuntimeError: not implemented"), 0, "!! Kernels ran for float32, but not for int8 on NVIDIA"),
        (kernels(float32="RuntimeError: no kernel image"), 1, "NO Kernels fail: float32 on NVIDIA GeForce RTX 5090"),
        (Ran(0, '{"torch": "2.14.1", "devices": []}'), 1, "NO torch 2.14.1 sees no GPU to run a kernel on."),
        (Ran(1, "", "ImportError"), 3, "?? No kernel could be tried"),
        (Ran(0, "3"), 3, "?? No kernel could be tried"),
    ],
)
def test_kernels_are_tried_where_that_is_asked(ran: Ran, status: int, words: str, capsys: Printed) -> None:
    machine = m.HEALTHY.with_(programs={"python kernels": ran})
    assert run_doctor(machine, "--probe") == status
    assert words in " ".join(capsys.readouterr().out.split())
    run_doctor(machine)
    assert "ernel" not in capsys.readouterr().out.replace("kernel module", "")


# --- a stack that was kept ----------------------------------------------------------------------------------------------


def kept(tmp_path: Path, capsys: Printed, *arguments: str) -> Path:
    file = tmp_path / "stack.toml"
    assert main(["resolve", *arguments, "--save", str(file)]) == 0
    assert "check --stack" in capsys.readouterr().err
    return file


def test_a_stack_is_kept_and_still_works(tmp_path: Path, capsys: Printed) -> None:
    file = kept(tmp_path, capsys, "rtx5090", "--driver", "580.95.05", "--torch", "2.14.1", "--python", "3.12")
    assert main(["check", "--stack", str(file)]) == 0
    assert "The newest stack for this machine is torch 2.15.0+cu132 now." in " ".join(capsys.readouterr().out.split())
    assert main(["check", "--stack", str(file), "--driver", "550.54.14", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "no"
    assert isinstance(told["changed"], list)
    assert main(["check", "V100", "--stack", str(file)]) == 1


def test_the_machine_is_held_against_a_kept_stack(tmp_path: Path, capsys: Printed) -> None:
    file = kept(tmp_path, capsys, "rtx5090", "--driver", "580.95.05", "--torch", "2.14.1")
    assert run_doctor(m.HEALTHY, "--stack", str(file)) == 0
    told = capsys.readouterr().out
    assert "torch 2.14.1+cu130 is that of the stack." in told
    assert "The stack still fits by the data of today." in told
    assert run_doctor(m.NO_GPU, "--stack", str(file)) == 1
    assert "here is none" in capsys.readouterr().out
    other = m.WRONG_TORCH.with_(programs={"python": m.torch("2.6.0", "12.4", torchvision="0.21.0")})
    assert run_doctor(other, "--stack", str(file)) == 1
    told = capsys.readouterr().out
    assert "here is 2.6.0+cu124" in told
    assert "The stack has torchvision 0.29.1, here is 0.21.0." in told
    v100 = m.machine("10de:1db1", m.driver("580.95.05", "proprietary", rows=[m.V100]))
    run_doctor(v100, "--stack", str(file))
    assert "compute capability 12.0, here is 7.0" in " ".join(capsys.readouterr().out.split())


def test_an_old_stack_says_what_has_changed(tmp_path: Path, capsys: Printed) -> None:
    file = kept(tmp_path, capsys, "rtx5090")
    text = file.read_text()
    file.write_text(
        text.replace('data_version = "', 'data_version = "2025.01.01 or ').replace(
            "claims = [", 'claims = [\n  "gone:x",'
        )
    )
    assert main(["check", "--stack", str(file)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "The data was of 2025.01.01 or" in told
    assert "Claims it rested on are gone: gone:x." in told


def test_a_stack_of_a_gpu_that_nobody_knows(tmp_path: Path, capsys: Printed) -> None:
    file = kept(tmp_path, capsys, "rtx5090")
    file.write_text(file.read_text().replace('gpus = ["geforce-rtx-5090"]', 'gpus = ["fancy 1"]'))
    assert run_doctor(m.HEALTHY, "--stack", str(file)) == 1  # another torch
    assert "The GPU of the stack is not known" in capsys.readouterr().out
    assert main(["check", "--stack", str(file)]) == 2


def test_no_stack_is_kept_where_none_is_sure(tmp_path: Path, capsys: Printed) -> None:
    file = tmp_path / "stack.toml"
    assert main(["resolve", "rtx5090", "--driver", "550", "--save", str(file)]) == 1
    assert "nothing was saved" in capsys.readouterr().err
    assert not file.exists()
    assert main(["resolve", "rtx5090", "--save", str(tmp_path)]) == 2


WHOLE = """format = 1
code_version = "0.1.0"
data_version = "2026.11.30"
[machine]
gpus = ["geforce-rtx-5090"]
os = "linux"
[stack]
torch = "2.14.1+cu130"
packages = []
images = []
install = ""
[evidence]
weakest = "measured"
claims = []
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (WHOLE, "", "is no stack file of format 1"),
        ("format = 1", "format = 2", "is no stack file of format 1"),
        ("[machine]", "[machine", "is not TOML"),
        ('os = "linux"', "os = 4090", "`machine.os`: input should be a valid string"),
        ('["geforce-rtx-5090"]', '"geforce-rtx-5090"', "`machine.gpus`: input should be a valid list"),
        ("images = []", "images = [5]", "`stack.images.0`: input should be a valid string"),
        ("[machine]", "[[machine]]", "`machine`: input should be"),
        ('[evidence]\nweakest = "measured"\nclaims = []', "", "`evidence`: field required"),
        ("packages = []", "packages = []\nspeed = 3", "`stack.speed`: extra inputs are not permitted"),
    ],
)
def test_what_is_no_stack_file(old: str, new: str, words: str, tmp_path: Path, capsys: Printed) -> None:
    file = tmp_path / "stack.toml"
    file.write_text(WHOLE)
    assert main(["check", "--stack", str(file)]) == 0
    capsys.readouterr()
    file.write_text(WHOLE.replace(old, new))
    assert main(["check", "--stack", str(file)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("whichcuda: ")
    assert words in said


@pytest.mark.parametrize("gpu", ["rtx5090", "V100", "T4", "H100", "GTX 1080 Ti", "K80", "gb10", "RTX 3090"])
def test_a_stack_that_was_kept_today_works_today(gpu: str, tmp_path: Path, capsys: Printed) -> None:
    file = kept(tmp_path, capsys, gpu)
    assert main(["check", "--stack", str(file)]) == 0, capsys.readouterr().out


def test_the_images_of_a_kept_stack_are_judged(tmp_path: Path, capsys: Printed) -> None:
    file = tmp_path / "stack.toml"
    file.write_text(WHOLE.replace("images = []", 'images = ["nvidia/cuda:12.7.0-base-ubuntu24.04"]'))
    assert main(["check", "--stack", str(file)]) == 1
    assert "12.7.0-base-ubuntu24.04" in capsys.readouterr().out
    file.write_text(WHOLE.replace("images = []", 'images = ["example.org/mine:1"]'))
    assert main(["check", "--stack", str(file)]) == 0
    assert "example.org/mine:1" in capsys.readouterr().out


def test_a_jetson_stack_is_not_kept(tmp_path: Path, capsys: Printed) -> None:
    file = tmp_path / "stack.toml"
    assert main(["resolve", "Jetson Orin Nano", "--save", str(file)]) == 0
    assert "JetPack release is the stack" in capsys.readouterr().err
    assert not file.exists()


def test_a_probe_to_skip_is_one_that_there_is(capsys: Printed) -> None:
    assert run_doctor(m.NO_GPU, "--skip", "moon") == 2
    assert "`moon` is no probe" in capsys.readouterr().err


# --- install ------------------------------------------------------------------------------------------------------------

READY = m.HEALTHY.with_(
    environment={"VIRTUAL_ENV": "/v"}, programs={"python": Ran(0, '{"python": "3.12.3", "packages": {}}')}
)


def test_the_command_is_shown_with_its_reasons_and_not_run(capsys: Printed) -> None:
    ran: list[Sequence[str]] = []
    assert run_install(READY, "--dry-run", ran=ran) == 0
    told = capsys.readouterr().out
    assert "for GeForce RTX 5090 with driver 580.95.05, Python 3.12.3" in " ".join(told.split())
    assert "machine code for 12.0" in " ".join(told.split())
    assert told.rstrip().splitlines()[-1].startswith("/v/bin/python -m pip install torch==")
    assert ran == []


def test_it_is_run_after_a_yes_alone(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Sequence[str]] = []
    assert run_install(READY, ran=ran) == 1  # nobody to ask
    assert "say --yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    for said, status in (("n", 1), ("", 1), ("yes", 0)):
        monkeypatch.setattr("builtins.input", lambda _, said=said: said)
        assert run_install(READY, ran=ran) == status

    def nobody(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    assert run_install(READY, ran=ran) == 1
    assert run_install(READY, "--yes", ran=ran, code=7) == 7
    assert [command[:4] for command in ran] == [["/v/bin/python", "-m", "pip", "install"]] * 2


def test_what_is_wanted_is_what_is_installed(capsys: Printed) -> None:
    def command(*arguments: str, machine: m.Machine = READY) -> list[str]:
        assert run_install(machine, *arguments, "--json") == 0
        found: list[list[str]] = json.loads(capsys.readouterr().out)["commands"]
        return found[0]

    names = [word.partition("=")[0] for word in command("torch", "torchvision") if "==" in word]
    assert names == ["torch", "torchvision"]
    assert [word.partition("=")[0] for word in command() if "==" in word] == ["torch", "torchvision", "torchaudio"]
    assert "torch==2.10.0" in command("torch==2.10.0")
    assert command("--with", "uv")[:5] == ["uv", "pip", "install", "--python", "/v/bin/python"]
    made_by_uv = READY.with_(files={"/v/pyvenv.cfg": "home = /usr/bin\nuv = 0.13.9\n"})
    assert command(machine=made_by_uv)[0] == "uv"
    assert command("--python-of", "/w/bin/python")[0] == "/w/bin/python"


def test_what_is_compiled_comes_after_torch_and_not_after_a_failure(capsys: Printed) -> None:
    ran: list[Sequence[str]] = []
    assert run_install(READY, "flash-attn", "--yes", ran=ran) == 0
    assert [
        any(word.startswith(name) for word in command)
        for command, name in zip(ran, ("torch==", "flash-attn=="), strict=True)
    ] == [True, True]
    assert "--no-build-isolation" in ran[1]
    ran.clear()
    assert run_install(READY, "flash-attn", "--yes", ran=ran, code=1) == 1
    assert len(ran) == 1


def test_what_brings_its_own_cuda_is_installed_without_torch(capsys: Printed) -> None:
    ran: list[Sequence[str]] = []
    assert run_install(READY, "jax[cuda13]", "--yes", ran=ran) == 0
    assert [command[4].partition("==")[0] for command in ran] == ["jax[cuda13]"]
    ran.clear()
    assert run_install(READY, "torch", "jax[cuda13]", "--yes", ran=ran) == 0
    assert [command[4].partition("==")[0] for command in ran] == ["torch", "jax[cuda13]"]


def test_the_packages_of_a_stack_are_kept_with_it(tmp_path: Path, capsys: Printed) -> None:
    file = kept(tmp_path, capsys, "rtx5090", "--package", "vllm")
    assert '"vllm==' in file.read_text()
    assert main(["check", "--stack", str(file)]) == 0


@pytest.mark.parametrize(
    ("machine", "arguments", "status", "words"),
    [
        (m.NO_GPU, (), 3, "name one with --gpu"),
        (m.NO_GPU, ("--gpu", "fancy 1"), 3, "name one with --gpu"),
        (m.TOO_OLD_FOR_GPU, (), 1, "550.163.01 is too old"),
        (READY, ("--driver", "soon"), 2, "driver"),
    ],
)
def test_where_there_is_nothing_to_install(
    machine: m.Machine, arguments: tuple[str, ...], status: int, words: str, capsys: Printed
) -> None:
    assert run_install(machine, *arguments, "--yes") == status
    told = capsys.readouterr()
    assert words in " ".join((told.out + told.err).split())
    assert run_install(machine, *arguments, "--json") == status


def test_a_driver_yet_to_come(capsys: Printed) -> None:
    assert run_install(m.NO_DRIVER, "--dry-run") == 0
    assert "a driver that is not installed yet" in " ".join(capsys.readouterr().out.split())


def test_an_installer_that_is_not_there(capsys: Printed) -> None:
    options = parser().parse_args(["install", "--yes", "--python-of", "/nowhere/python", "--gpu", "T4"])
    assert install(options, m.HEALTHY) == 2
    assert "/nowhere/python" in capsys.readouterr().err


# --- the real door ------------------------------------------------------------------------------------------------------


def test_the_door_to_this_machine(tmp_path: Path) -> None:
    here = Here()
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert here.text(str(tmp_path / "file")) == "text"
    assert here.text(str(tmp_path / "none")) is None
    assert here.names(str(tmp_path)) == ["file", "link"]
    assert here.names(str(tmp_path / "none")) == []
    assert here.target(str(tmp_path / "link")) == "file"
    assert here.target(str(tmp_path / "file")) is None
    assert here.exists(str(tmp_path / "file"))
    import sys

    python = sys.executable
    assert here.run((python, "-c", "print(input())"), 30, text="hi").out == "hi\n"
    assert here.run((python, "-c", "import time; time.sleep(60)"), 0.2).failure == "late"
    assert here.run(("no-such-program",), 1).failure == "absent"
    assert here.run((str(tmp_path / "file"),), 1).failure == "refused"


def test_the_doctor_looks_at_this_machine(capsys: Printed) -> None:
    assert main(["doctor", "--json", "--skip", "torch", "--skip", "docker"]) in (0, 1, 3)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["machine"]["machine"]


def test_install_on_the_command_line(capsys: Printed) -> None:
    assert main(["install", "--gpu", "T4", "--driver", "580.95.05", "--dry-run"]) == 0
    assert " -m pip install torch==" in capsys.readouterr().out


def test_the_page_on_the_doctor_lists_the_probes_in_their_order() -> None:
    page = (Path(__file__).parent.parent.parent.parent / "docs" / "doctor.md").read_text(encoding="utf-8")
    rows = [
        tuple(cell.strip() for cell in line.split("|")[1:3]) for line in page.splitlines() if line.startswith("| `")
    ]
    assert [(name.strip("`"), about.partition(" (the extra")[0]) for name, about in rows] == [
        (probe.name, probe.about) for probe in PROBES
    ]
