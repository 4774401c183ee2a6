"""`/matrix`: whole tables of verdicts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from api.answers import Answers
from api.bodies import DriverMatrixQuery, TorchMatrixQuery
from api.routes.answers import written_once
from api.routes.responses import cacheable

__all__ = ["router"]


def router(answers: Answers, documents: dict[str, Any]) -> APIRouter:
    """The routes over one set of answers."""
    routes = APIRouter(tags=["knowledge"])
    once = [Depends(written_once)]

    @routes.get("/matrix/torch", summary="GPU x torch", responses=documents["torch-matrix"], dependencies=once)
    async def torch(request: Request, question: Annotated[TorchMatrixQuery, Query()]) -> Response:
        """For each GPU (left out: each capability that PyTorch was built for) and each torch release what `/resolve` says."""
        request.state.gpus = question.gpu
        return cacheable(request, answers.torch_matrix(question))

    @routes.get("/matrix/drivers", summary="Driver x CUDA", responses=documents["driver-matrix"], dependencies=once)
    async def drivers(request: Request, question: Annotated[DriverMatrixQuery, Query()]) -> Response:
        """For each driver branch and each CUDA whether and how the branch runs it."""
        return cacheable(request, answers.driver_matrix(question))

    return routes
