"""A torch without a variant: `/check`, `/resolve` and the matrix answer alike."""

from __future__ import annotations

import pytest

from resolver.engine import Asked, Checked, Engine

GPUS = ("Tesla K80", "GTX 970", "GTX 1080 Ti", "V100", "T4", "RTX 4090", "H100", "RTX 5090")
TORCHES = ("1.13", "2.1.2", "2.7.0", "2.7", "2.9", "2.14", "2.14.1", ">=2.8,<2.10", "2.11.0")


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("os", ["linux", "windows-11"])
@pytest.mark.parametrize("driver", [None, "470", "535", "580"])
def test_check_says_what_resolve_says(engine: Engine, gpu: str, os: str, driver: str | None) -> None:
    for torch in TORCHES:
        checked = engine.check(Checked(gpu=(gpu,), torch=torch, os=os, driver=driver))
        resolved = engine.resolve(Asked(gpus=(gpu,), torch=torch, os=os, driver=driver, limit=1))
        if any(finding["rule"] == "forward" for finding in checked["findings"]):
            continue  # resolving may go through cuda-compat, which a checked stack does not have
        assert checked["verdict"] == resolved["verdict"], torch


@pytest.mark.parametrize("gpu", GPUS)
def test_check_says_what_the_matrix_says(engine: Engine, gpu: str) -> None:
    row = engine.matrix.torch(Asked(gpus=(gpu,))).rows[0]
    for cell in row.cells[::4]:
        checked = engine.check(Checked(gpu=(gpu,), torch=str(cell.torch)))
        assert checked["verdict"] == cell.verdict, cell.torch


def test_where_a_plain_install_does_not_work_the_command_that_does_is_said(engine: Engine) -> None:
    found = engine.check(Checked(gpu=("GTX 1080 Ti",), torch="2.9"))
    warnings = [finding["text"] for finding in found["findings"] if finding["severity"] == "warning"]
    assert any("brings torch 2.9.1+cu128, which does not work here" in text and "/cu126" in text for text in warnings)


def test_a_driver_that_does_not_drive_the_gpu_has_no_kernel_modules_for_it(engine: Engine) -> None:
    for gpu, driver in (("K80", "580"), ("RTX 5090", "550"), ("H100", "470")):
        found = engine.check(Checked(gpu=(gpu,), driver=driver))
        assert found["verdict"] == "no"
        assert all(finding["rule"] != "kernel-module" for finding in found["findings"])
