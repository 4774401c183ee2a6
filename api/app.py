"""The web service: `create_app` puts the routes over one engine."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI

from api import VERSION, handlers, openapi
from api.answers import Answers
from api.guard import Guard
from api.openapi import DOCUMENTS
from api.page.views import Pages
from api.provenance import Provenance
from api.routes import answers as answer_routes
from api.routes import artifacts, ask, knowledge, matrix, service
from api.routes import mcp as mcp_routes
from api.routes import openai as openai_routes
from api.routes import page as page_routes
from api.settings import Settings
from api.views import Views
from resolver.engine import Engine

__all__ = ["create_app"]

DESCRIPTION = """Tell it your GPU and it tells which driver, CUDA, PyTorch wheel and container image work, why, and what to
type; send it an error text and it tells what broke and how to mend it. An answer is `yes`, `no` or `unknown`, names the rules and claims it rests on, and depends on nothing but the request,
the code and the data (`data_version`)."""


def create_app(engine: Engine | None = None, settings: Settings | None = None) -> FastAPI:
    """The service over an engine, by default the one over the committed catalogue."""
    engine = engine or Engine.load()
    settings = settings or Settings.from_environment()
    app = FastAPI(
        title="whichcuda",
        version=VERSION,
        description=DESCRIPTION,
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    answers = Answers(engine, settings.cache_entries)
    provenance = Provenance(Views(engine))
    pages = Pages(answers, provenance)
    app.router.routes.extend(page_routes.routes(pages))
    routers = [
        answer_routes.router(answers, DOCUMENTS),
        knowledge.router(provenance, DOCUMENTS),
        artifacts.router(answers, DOCUMENTS),
        matrix.router(answers, DOCUMENTS),
        ask.router(answers, DOCUMENTS),
        openai_routes.router(answers, DOCUMENTS, settings.api_key),
        mcp_routes.router(answers, settings.mcp_hosts),
        service.router(answers, DOCUMENTS),
    ]
    for router in routers:
        app.include_router(router)
    handlers.install(app, routers, partial(page_routes.problem_page, pages))
    openapi.install(app, answers)
    app.add_middleware(Guard, log_requests=settings.log_requests)
    return app
