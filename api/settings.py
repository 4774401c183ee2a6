"""The few settings of the service, read from the environment once at start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["MAX_BODY_BYTES", "Settings"]

MAX_BODY_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator may change.

    Attributes:
        cache_entries: how many rendered answers are kept (`WHICHCUDA_CACHE_ENTRIES`); 0 keeps none.
        log_requests: one line a request, without anything that the asker wrote (`WHICHCUDA_LOG_REQUESTS`).
    """

    cache_entries: int = 4096
    log_requests: bool = True

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings of this process.

        >>> Settings.from_environment({"WHICHCUDA_CACHE_ENTRIES": "0"}).cache_entries
        0
        """
        entries = environment.get("WHICHCUDA_CACHE_ENTRIES", "4096")
        if not entries.isdecimal():
            raise ValueError(f"WHICHCUDA_CACHE_ENTRIES is a number of entries, not `{entries}`")
        log = environment.get("WHICHCUDA_LOG_REQUESTS", "1")
        if log not in ("0", "1"):
            raise ValueError(f"WHICHCUDA_LOG_REQUESTS is `0` or `1`, not `{log}`")
        return cls(int(entries), log == "1")
