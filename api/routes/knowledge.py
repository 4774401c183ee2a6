"""`/gpus`, `/claims`, `/sources` and `/catalogue.json`: what the catalogue says, with its evidence."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from api.bodies import Text
from api.handlers import ProblemFound
from api.problems import Problem
from api.provenance import Provenance
from api.rendering import rendered_json
from api.routes.responses import cacheable
from api.views import Views

__all__ = ["GpuFilter", "router"]


class GpuFilter(BaseModel):
    """Filters of `/gpus`; all given ones must fit."""

    model_config = ConfigDict(extra="forbid")
    q: Text | None = Field(None, description="Words that the name holds.")
    architecture: Text | None = Field(None, description="Such as `Blackwell`.")
    compute_capability: Text | None = Field(None, description="Such as `8.6`.")


class Beginning(BaseModel):
    """What somebody has typed of a name."""

    model_config = ConfigDict(extra="forbid")
    q: Text
    limit: int = Field(8, ge=1, le=50)


def router(provenance: Provenance, documents: dict[str, Any]) -> APIRouter:
    """The routes over one catalogue."""
    routes = APIRouter(tags=["knowledge"])
    views = provenance.views

    @routes.get("/gpus", summary="The GPUs known", responses=documents["gpus"])
    async def gpus(request: Request, wanted: Annotated[GpuFilter, Query()]) -> Response:
        """All products, or those whose names hold every word of `q` and that fit the other filters."""
        found = views.listed(wanted.q, wanted.architecture, wanted.compute_capability)
        return cacheable(request, rendered_json(found), vary="Accept")

    @routes.get("/gpus/suggested", summary="GPUs for the beginning of a name", responses=documents["suggested"])
    async def suggested(request: Request, wanted: Annotated[Beginning, Query()]) -> Response:
        """The products whose names hold every word of `q`, the nearest and newest first: to complete what is typed."""
        return cacheable(request, rendered_json(views.suggested(wanted.q, wanted.limit)))

    @routes.get("/gpus/{id}", summary="One GPU", responses=documents["gpu"])
    async def gpu(request: Request, id: str) -> Response:
        """Specifications, capability, drivers and kernel module of one product, each with its evidence."""
        found = views.gpu(id)
        if found is not None:
            return cacheable(request, rendered_json(found), vary="Accept")
        return _elsewhere(views, "/gpus/", id, "GPU", "`/gpus` lists the ids", views.near(id[:300]))

    @routes.get("/claims/{id:path}", summary="One claim", responses=documents["claim"])
    async def claim(request: Request, id: str) -> Response:
        """One sentence that could be wrong: who says so, who says otherwise, and which rules read it."""
        found = provenance.claim(id)
        if found is not None:
            return cacheable(request, rendered_json(found), vary="Accept")
        return _elsewhere(views, "/claims/", id, "claim", "the ids stand under `claim` in `because`", [])

    @routes.get("/sources", summary="The sources", responses=documents["sources"])
    async def sources(request: Request) -> Response:
        """Every publication that claims rest on, how old the newest reading is, and whether it should be read again."""
        return cacheable(request, rendered_json(provenance.listed()))

    @routes.get("/sources/{id}", summary="One source", responses=documents["source"])
    async def source(request: Request, id: str) -> Response:
        """One source with the claims that rest on it, by relation."""
        found = provenance.source(id)
        if found is not None:
            return cacheable(request, rendered_json(found))
        return _elsewhere(views, "/sources/", id, "source", "`/sources` lists the ids", [])

    @routes.get("/catalogue.json", summary="The whole catalogue", responses=documents["catalogue"])
    async def catalogue(request: Request) -> Response:
        """All entities and claims in one document, in the form that `matrices/schema/catalogue.schema.json` describes."""
        packed = "gzip" in request.headers.get("accept-encoding", "")
        response = cacheable(request, provenance.packed() if packed else provenance.whole())
        response.headers["vary"] = "accept-encoding"
        if packed and response.status_code == 200:
            response.headers["content-encoding"] = "gzip"
        return response

    return routes


def _elsewhere(views: Views, address: str, id: str, what: str, where: str, near: list[str]) -> Response:
    """A redirect where an id has moved; else the problem that there is none."""
    moved = views.moved(id)
    if moved is not None:
        return RedirectResponse(address + quote(moved, safe=":"), 308)
    raise ProblemFound(Problem("not-found", f"no {what} has that id; {where}", near))
