"""`serve`: run the HTTP service."""

from __future__ import annotations

import argparse
import copy
import socket
import sys
from typing import Any

import uvicorn
from uvicorn.config import LOGGING_CONFIG

from api import VERSION

__all__ = ["log_config", "serve"]

UNAVAILABLE = 69  # the number that sysexits.h has for it: not a verdict


def serve(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    try:
        socket.create_server((options.host, options.port), family=_family(options.host)).close()
    except OSError as problem:
        print(f"whichcuda: cannot listen on {options.host} port {options.port}: {problem.strerror}", file=sys.stderr)
        return UNAVAILABLE
    host = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{host}:{options.port}"
    print(f"whichcuda {VERSION} on {address}/\nTry it:\n  curl '{address}/resolve?gpu=rtx5090'", flush=True)
    uvicorn.run(
        "api.app:create_app",
        factory=True,
        host=options.host,
        port=options.port,
        workers=options.workers,
        access_log=False,  # it would write down what people ask; `api.guard` logs routes instead
        log_config=log_config(),
        server_header=False,
    )
    return 0


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def log_config() -> dict[str, Any]:
    """Uvicorn's logging with the service's own lines beside it, on standard error."""
    config = copy.deepcopy(LOGGING_CONFIG)
    config["loggers"]["whichcuda"] = {"handlers": ["default"], "level": "INFO", "propagate": False}
    return config
