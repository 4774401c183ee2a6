"""One tiny kernel per data type, run by the torch of another process: its source is given to that Python.

So this module imports nothing of the project, and `torch` only when it runs. A multiplication of two
small matrices is asked for; the sum of the result is compared, since a kernel may run and be wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

__all__ = ["run_kernels"]

_SIZE = 16
_FLOATS = ("float32", "float16", "bfloat16", "float64")
_EIGHT_BITS = ("float8_e4m3fn", "float8_e5m2")
_PATH = re.compile(r"\S*[/\\]\S+")


def run_kernels(torch: Any) -> dict[str, Any]:
    """What a torch says of itself, and per GPU which data types its kernels run with.

    A result is `"ok"`, `"wrong result"`, `"not offered"` or the class and first line of the error,
    without paths.
    """
    found: dict[str, Any] = {
        "arch_list": list(torch.cuda.get_arch_list()),
        "available": bool(torch.cuda.is_available()),
        "cuda": torch.version.cuda,
        "torch": str(torch.__version__),
    }
    devices = range(torch.cuda.device_count()) if found["available"] else range(0)
    found["devices"] = [_device(torch, device) for device in devices]
    return found


def _device(torch: Any, device: int) -> dict[str, Any]:
    major, minor = torch.cuda.get_device_capability(device)
    kernels = {name: _attempt(_float, torch, device, name) for name in _FLOATS}
    kernels |= {name: _attempt(_float8, torch, device, name) for name in _EIGHT_BITS}
    kernels["int8"] = _attempt(_int8, torch, device)
    return {
        "compute_capability": f"{major}.{minor}",
        "kernels": kernels,
        "name": torch.cuda.get_device_name(device),
    }


def _attempt(kernel: Callable[..., float], *arguments: object) -> str:
    try:
        total = kernel(*arguments)
    except AttributeError:
        return "not offered"
    except Exception as error:  # whatever the driver or the library says is the finding
        line = (str(error).splitlines() or [""])[0]
        return f"{type(error).__name__}: {_PATH.sub('<path>', line)[:160]}"
    return "ok" if total == _SIZE**3 else "wrong result"


def _float(torch: Any, device: int, name: str) -> float:
    ones = torch.ones((_SIZE, _SIZE), dtype=getattr(torch, name), device=f"cuda:{device}")
    return float((ones @ ones).double().sum().item())


def _float8(torch: Any, device: int, name: str) -> float:
    ones = torch.ones((_SIZE, _SIZE), device=f"cuda:{device}")
    left = ones.to(getattr(torch, name))
    right = ones.to(torch.float8_e4m3fn).t()  # two e5m2 factors are multiplied nowhere
    scale = torch.ones((), device=f"cuda:{device}")
    product = torch._scaled_mm(left, right, scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16)  # noqa: SLF001 - it has no public name
    return float(product.double().sum().item())


def _int8(torch: Any, device: int) -> float:
    # the integer kernel wants more rows than the others
    left = torch.ones((2 * _SIZE, _SIZE), dtype=torch.int8, device=f"cuda:{device}")
    right = torch.ones((_SIZE, _SIZE), dtype=torch.int8, device=f"cuda:{device}")
    return float(torch._int_mm(left, right).double().sum().item()) / 2  # noqa: SLF001 - it has no public name


if __name__ == "__main__":  # pragma: no cover - runs in the Python that is examined
    import torch  # type: ignore[import-not-found, unused-ignore]  # only there where kernels are run

    print(json.dumps(run_kernels(torch)))
