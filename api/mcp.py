"""The answers as tools of the Model Context Protocol, by the protocol's own library, which is an optional extra.

Arguments and results are described by the models of the HTTP interface. Import it only where it is used: that takes a second.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.types import ToolAnnotations
from pydantic import BaseModel, create_model

from api import VERSION
from api.answers import Answers
from api.bodies import AskBody, CheckBody, DockerfileBody, FileBody, ResolveBody
from api.problems import Problem
from api.routes.knowledge import GpuFilter
from api.schemas.assistant import AskAnswer
from api.schemas.files import FileAnswer
from api.schemas.knowledge import GpusAnswer
from api.schemas.stacks import CheckAnswer, ResolveAnswer
from api.views import Views
from resolver.artifacts.make import Artifact
from resolver.errors import BadQuestion, NoStack

__all__ = ["INSTRUCTIONS", "make_server"]

JSON = "application/json"
MAX_GPUS_LISTED = 100
INSTRUCTIONS = """whichcuda judges GPU stacks: NVIDIA GPU, driver, CUDA, PyTorch wheel, container image. A verdict is `yes`, `no` or
`unknown`; never take `unknown` for yes. Pass names and versions as the user wrote them, and do not guess parts that are not
known: leave them out. An answer names its reasons with their evidence under `because`."""
READS_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def make_server(answers: Answers) -> MCPServer[Any]:
    """The tools and resources over one set of answers."""
    engine, views = answers.engine, Views(answers.engine)

    def made(file: Artifact) -> Mapping[str, Any]:
        return {**asdict(file), "data_version": engine.data_version}

    tools = [
        _tool(
            "resolve_stack",
            "Which driver, CUDA, PyTorch wheel and image work for GPUs, best first; or the conflict and what mends it.",
            ResolveBody,
            ResolveAnswer,
            lambda question: engine.resolve(question.asked()),
        ),
        _tool(
            "check_stack",
            "Whether a given stack works, finding by finding. A part that is left out is not judged.",
            CheckBody,
            CheckAnswer,
            lambda stack: engine.check(stack.checked()),
        ),
        _tool(
            "diagnose",
            "The cause of an error text or log with proof and fix, or an answer to a question. Pass the text unchanged.",
            AskBody,
            AskAnswer,
            lambda asked: answers.advice(asked.message, asked.turns(), asked.known()),
        ),
        _tool(
            "make_dockerfile",
            "A pinned Dockerfile for the best stack, with a check at its start that says what is wrong.",
            DockerfileBody,
            FileAnswer,
            lambda asked: made(engine.artifact("dockerfile", asked.asked(), asked.options())),
        ),
        _tool(
            "make_file",
            "A file of another kind for the best stack. Options that the kind does not have are refused.",
            FileBody,
            FileAnswer,
            lambda asked: made(engine.artifact(asked.file, asked.asked(), asked.options())),
        ),
        _tool(
            "list_gpus",
            f"The GPUs known that fit all filters: the first {MAX_GPUS_LISTED} of them, and how many there are.",
            GpuFilter,
            GpusAnswer,
            lambda wanted: {**(found := views.listed(**dict(wanted))), "gpus": found["gpus"][:MAX_GPUS_LISTED]},
        ),
    ]
    server = _quiet(lambda: MCPServer("whichcuda", version=VERSION, instructions=INSTRUCTIONS, tools=tools))

    @server.resource("whichcuda://claims/{+id}", mime_type=JSON, description="One claim with its evidence.")
    async def claim(id: str) -> str:
        return _known(views.claim(views.moved(id) or id), "no claim has that id")

    @server.resource("whichcuda://gpus/{id}", mime_type=JSON, description="One GPU with its evidence.")
    async def gpu(id: str) -> str:
        near = ", ".join(views.near(id[:300])) or "none"
        return _known(views.gpu(views.moved(id) or id), f"no GPU has that id; near: {near}")

    return server


def _tool(
    name: str,
    description: str,
    question: type[BaseModel],
    shape: type[BaseModel],
    answer: Callable[[Any], Mapping[str, Any]],
) -> Tool:
    """A tool that takes the one model and answers with the other; an argument that it does not have is refused."""

    async def call(**given: Any) -> Mapping[str, Any]:
        try:
            return answer(question(**given))
        except BadQuestion as error:
            problem = Problem.of_question(error, given.get("gpu", ()))
        except NoStack as error:
            problem = Problem.of_no_stack(error)
        raise ToolError(json.dumps(problem.document(), ensure_ascii=False))

    arguments: Any = create_model(f"{name}_arguments", __base__=(ArgModelBase, question))
    return Tool(
        fn=call,
        name=name,
        title=None,
        description=description,
        parameters=arguments.model_json_schema(),
        fn_metadata=FuncMetadata(arg_model=arguments, output_model=shape),
        is_async=True,
        context_kwarg=None,
        annotations=READS_ONLY,
    )


def _quiet(make: Callable[[], MCPServer[Any]]) -> MCPServer[Any]:
    """Made without a say in this process's log: the library sets up one of its own, and may write what was asked."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    found = make()
    root.handlers[:] = before
    root.setLevel(level)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    return found


def _known(found: Mapping[str, Any] | None, otherwise: str) -> str:
    if found is None:
        raise ResourceNotFoundError(otherwise)
    return json.dumps(found, ensure_ascii=False)
