"""The server that `bench.py` asks: three services in one process.

`/kept` and `/fresh` are ours with and without kept answers; `/bare` is plain FastAPI that validates the same body and
returns the same bytes, made beforehand.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from api.app import create_app
from api.bodies import ResolveBody
from api.rendering import json_bytes
from api.settings import Settings
from bench import grid
from resolver.engine import Engine


def bare_app(answers: list[bytes]) -> FastAPI:
    """Validation and a ready answer, chosen by the number of the question."""
    bare = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    @bare.post("/resolve")
    async def resolve(request: Request, question: ResolveBody) -> Response:
        return Response(answers[int(request.headers["x-number"])], media_type="application/json")

    return bare


def main(port: int) -> None:
    """Serve until terminated."""
    engine = Engine.load()
    questions = [ResolveBody.model_validate(body) for body in grid()]
    services: dict[str, Any] = {
        "/kept": create_app(engine, Settings(log_requests=False)),
        "/fresh": create_app(engine, Settings(cache_entries=0, log_requests=False)),
        "/bare": bare_app([json_bytes(engine.resolve(question.asked())) for question in questions]),
    }

    async def choose(scope: Any, receive: Any, send: Any) -> None:
        prefix, _, rest = scope["path"].rpartition("/")
        await services[prefix]({**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}, receive, send)

    uvicorn.run(choose, host="127.0.0.1", port=port, log_level="error", access_log=False, lifespan="off")


if __name__ == "__main__":
    main(int(sys.argv[1]))
