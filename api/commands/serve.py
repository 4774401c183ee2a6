"""`serve`: run the HTTP service."""

from __future__ import annotations

import argparse
import copy
from typing import Any

import uvicorn
from uvicorn.config import LOGGING_CONFIG

from api import VERSION

__all__ = ["log_config", "serve"]


def serve(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
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


def log_config() -> dict[str, Any]:
    """Uvicorn's logging with the service's own lines beside it, on standard error."""
    config = copy.deepcopy(LOGGING_CONFIG)
    config["loggers"]["whichcuda"] = {"handlers": ["default"], "level": "INFO", "propagate": False}
    return config
