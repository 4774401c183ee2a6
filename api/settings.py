"""The few settings of the service, read from the environment once at start."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["CONTEXT_KEYS", "MAX_BODY_BYTES", "MAX_PASTE_BYTES", "Settings", "body_limit"]

MAX_BODY_BYTES = 64 * 1024
MAX_PASTE_BYTES = 2 * 1024 * 1024  # where whole logs are pasted
# what a client may tell of the machine beside a message to the assistant
CONTEXT_KEYS = ("gpu", "driver", "torch", "cuda", "python", "os", "image")

_LIMITS = {"/ask": MAX_PASTE_BYTES, "/mcp": MAX_PASTE_BYTES, "/v1/chat/completions": MAX_PASTE_BYTES}


def body_limit(path: str) -> int:
    """How many bytes a body may have at an address.

    >>> body_limit("/ask") > body_limit("/resolve")
    True
    """
    return _LIMITS.get(path, MAX_BODY_BYTES)


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator may change.

    Attributes:
        cache_entries: how many rendered answers are kept (`WHICHCUDA_CACHE_ENTRIES`); 0 keeps none.
        log_requests: one line a request, without anything that the asker wrote (`WHICHCUDA_LOG_REQUESTS`).
        api_key: what clients of the OpenAI-style addresses must send as a bearer (`WHICHCUDA_API_KEY`); without it
            any key is accepted, and none too.
        mcp_hosts: names under which `/mcp` answers beside 127.0.0.1, ::1 and localhost (`WHICHCUDA_MCP_HOSTS`, with
            commas): behind a proxy its `Host` and `Origin` headers are refused otherwise.
    """

    cache_entries: int = 4096
    log_requests: bool = True
    api_key: str | None = field(default=None, repr=False)
    mcp_hosts: tuple[str, ...] = ()

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
        key = environment.get("WHICHCUDA_API_KEY", "")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("WHICHCUDA_API_KEY is one word of printable ASCII characters")
        hosts = tuple(environment.get("WHICHCUDA_MCP_HOSTS", "").replace(",", " ").split())
        if not all(re.fullmatch(r"[A-Za-z0-9.-]+", host) for host in hosts):
            raise ValueError("WHICHCUDA_MCP_HOSTS is names of hosts, without scheme and port, with commas between them")
        return cls(int(entries), log == "1", key or None, hosts)
