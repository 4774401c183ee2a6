"""`mcp`: the tools over standard input and output, for a client that starts this command."""

from __future__ import annotations

import sys

from api.answers import Answers
from resolver.engine import Engine

__all__ = ["mcp"]


def mcp() -> int:
    """Serve until standard input ends; bad use where the library is not installed."""
    try:
        from api.mcp import make_server
    except ImportError:
        from api.routes.mcp import MISSING

        print(f"whichcuda: {MISSING}", file=sys.stderr)
        return 2
    make_server(Answers(Engine.load(), entries=0)).run("stdio")
    return 0
