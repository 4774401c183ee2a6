"""The pages: for each address what its template is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from api.answers import Answers
from api.bodies import ArtifactQuery, AskBody, DriverMatrixQuery, TorchMatrixQuery
from api.handlers import invalid
from api.page.asking import LINKED, SHOWN, Asking, parts, shown_answer
from api.page.drawing import drawing
from api.page.ladder import driver_needed, headline, label, pythons, reasons, shown_stack
from api.page.matrix import driver_rows, newest_of_each_minor, torch_rows
from api.page.products import product, products
from api.page.question import Form
from api.page.rendering import Frame, Templates, address
from api.page.words import Words
from api.problems import Problem, shortened
from api.provenance import Provenance
from api.rendering import Rendered, json_bytes
from api.settings import MAX_PASTE_BYTES
from assistant.assistant import MAX_MESSAGE
from matrices.model import ContainerRuntime, OperatingSystem
from resolver.artifacts.make import ARTIFACTS
from resolver.errors import BadQuestion, NoStack
from resolver.words import speaking

__all__ = ["Pages"]

# questions to begin with: what each shows, and its form
EXAMPLES: tuple[tuple[str, dict[str, str]], ...] = (
    ("new", {"gpu": "RTX 5090", "os": "ubuntu-24.04"}),
    ("old", {"gpu": "GTX 1080 Ti"}),
    ("driver", {"gpu": "A100", "driver": "535.183.01"}),
    ("fleet", {"gpu": "V100, A100, RTX 5090"}),
    ("no", {"gpu": "RTX 5090", "torch": "2.6.0+cu124"}),
    ("windows", {"gpu": "RTX 4070", "os": "windows-11", "python": "3.12"}),
)

SINCE = "11.0"  # where the table of drivers begins, unless more is asked for
MATRIX = ("table", "gpu", "os", "machine", "driver", "python", "torch", "variant", "releases", "from")


class Shown(NamedTuple):
    """A page and its HTTP status."""

    page: Rendered
    status: int


class Pages:
    """Pages over one set of answers.

    Args:
        answers: who answers.
        provenance: what is known of products and claims.
    """

    def __init__(self, answers: Answers, provenance: Provenance) -> None:
        self.answers = answers
        self.provenance = provenance
        self.views = provenance.views
        self.templates = Templates(answers.engine.data_version)
        self.served = ["/", "/check", "/matrix", "/ask", "/gpus"]

    def _shown(self, name: str, frame: Frame, **values: Any) -> Shown:
        """A page with its status, which is that of the problem where it shows one."""
        problem = values.get("problem")
        page = self._page(name, frame, systems=self.systems, runtimes=self.runtimes, **values)
        return Shown(page, problem["status"] if problem else 200)

    def _page(self, name: str, frame: Frame, **values: Any) -> Rendered:
        return self.templates.page(name, frame, served=self.served, **values)

    # --- the question and its answer ----------------------------------------------------------------------------

    def resolve(self, form: Form, frame: Frame) -> Shown:
        """The page of a question: its answer, or what is wrong with it, below the form."""
        words = Words(frame.language)
        shown: dict[str, Any] = {"answer": None, "problem": None, "wrong": "", "title": words("tagline")}
        if not form.empty:
            try:
                question = form.question()
                with speaking(frame.language):
                    answer = self.answers.engine.resolve(question.asked())
                shown |= self._answer(answer, form, frame, words)
            except (ValidationError, BadQuestion) as error:
                shown |= self._wrong(error, form, frame, words)
        examples = [
            {"name": name, "address": frame.link("/", **values), "text": " · ".join(values.values())}
            for name, values in EXAMPLES
        ]
        return self._shown(
            "resolve.html",
            frame,
            form=form,
            examples=examples,
            more=form.empty or bool(set(form.values) - {"gpu"}),
            data=None if form.empty else address("/resolve", form.values),
            **shown,
        )

    @cached_property
    def systems(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The operating systems to choose from: family, then id and name."""
        found: dict[str, list[tuple[str, str]]] = {"linux": [], "windows": []}
        for system in self.answers.engine.catalogue.entities(OperatingSystem).values():
            found[system.family].append((system.id, system.name))
        for family in found.values():
            family.sort(key=lambda row: (row[0] != "linux", _natural(row[1])))
        return list(found.items())

    @cached_property
    def runtimes(self) -> list[str]:
        """The ways in which a container gets its GPUs."""
        return sorted(self.answers.engine.catalogue.entities(ContainerRuntime))

    def _answer(self, answer: Mapping[str, Any], form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        stacks = answer["stacks"]
        conflict = answer["conflict"]
        line = headline(answer, words)
        return {
            "answer": answer,
            "title": f"{words('verdict.' + answer['verdict'])}: {line}",
            "headline": line,
            "stack": shown_stack(stacks[0], words, self.views) if stacks else None,
            "drawing": drawing(answer, form, words),
            "causes": reasons(conflict["causes"], self.views) if conflict else [],
            "fixes": [self._fix(fix, answer, form, frame) for fix in answer["fixes"]],
            "others": [self._other(stack, form, frame, words) for stack in stacks[1:]],
            "files": self._files(form, [image["kind"] for image in stacks[0]["images"]])
            if answer["verdict"] == "yes"
            else [],
        }

    @staticmethod
    def _fix(
        fix: Mapping[str, Any], answer: Mapping[str, Any], form: Form, frame: Frame, path: str = "/"
    ) -> dict[str, Any]:
        parts = [part for part in (fix.get("stack"), *fix.get("stacks", ())) if part]
        text = fix["text"]
        for part in parts:  # the command stands below
            for before in (": ", "："):
                text = text.replace(f"{before}`{part['install']['pip']}`", "")
        commands = [(", ".join(part.get("gpus", ())) or "pip", part["install"]["pip"]) for part in parts]
        again = [{"gpus": gpus, "address": frame.link(path, **values)} for gpus, values in form.mended(fix, answer)]
        return {"text": text, "commands": commands, "again": again}

    @staticmethod
    def _other(stack: Mapping[str, Any], form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        return {
            "label": label(stack),
            "cuda": stack["cuda"]["runtime"],
            "driver": driver_needed(stack, words),
            "python": pythons(stack, words),
            "pip": stack["install"]["pip"],
            # a build for Jetson goes by its JetPack: no torch version asks for it
            "address": "" if "jetpack" in stack else frame.link("/", **form.changed(torch=label(stack))),
        }

    def _files(self, form: Form, images: Iterable[str]) -> list[dict[str, str]]:
        """The files that can be made for a question: those about containers, and those about environments.

        Those that by themselves take an image with PyTorch inside begin with CUDA only, unless just that image is known.
        """
        ready = "pytorch" in images and not form["packages"]
        question = ArtifactQuery.model_validate(dict(form.values))
        makeable = {base: self._makeable("dockerfile" if base else "requirements", question) for base in (True, False)}
        files = []
        for name, kind in ARTIFACTS.items():
            if makeable["base" in kind.options]:
                base = {"base": "cuda"} if kind.options.get("base") == "pytorch" and not ready else {}
                values = {**form.values, **base}
                files.append({"name": kind.filename, "about": name, "address": address(f"/artifacts/{name}", values)})
        return files

    def _makeable(self, kind: str, question: ArtifactQuery) -> bool:
        try:
            self.answers.artifact(kind, question)
        except (BadQuestion, NoStack):
            return False
        return True

    def _wrong(self, error: ValidationError | BadQuestion, form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        """A problem, said in the words of the page, with each candidate as the question that asks for it."""
        if isinstance(error, BadQuestion):
            problem = Problem.of_question(error)
        else:
            problem = _invalid(error, frame.path)
        given = problem.errors[0].get("given", "") if problem.errors else ""
        wrong = problem.errors[0]["path"].partition("[")[0] if problem.errors else ""
        key = f"about.{problem.type}"
        return {
            "problem": {
                "type": problem.type,
                "status": problem.status,
                "about": words(key, given=given) if words.has(key) else problem.detail,
                "candidates": list(self._meant(problem.candidates, given, wrong, form, frame)),
            },
            "wrong": wrong,
            "title": words("problem." + problem.type),
        }

    @staticmethod
    def _meant(candidates: Iterable[str], given: str, wrong: str, form: Form, frame: Frame) -> Iterable[dict[str, str]]:
        for name in candidates:
            value = name
            if wrong == "gpu":
                parts = [part.strip() for part in form["gpu"].split(",")]
                value = ", ".join(name if shortened(part) == given else part for part in parts)
            yield {"name": name, "address": frame.link(frame.path, **form.changed(**{wrong: value}))}

    # --- a stack that is there ----------------------------------------------------------------------------------

    def check(self, form: Form, frame: Frame) -> Shown:
        """The page of a concrete stack: every judgement on it, below the form."""
        words = Words(frame.language)
        shown: dict[str, Any] = {"answer": None, "problem": None, "wrong": "", "title": words("check.title")}
        if form.values:
            try:
                stack = form.stack()
                with speaking(frame.language):
                    answer = self.answers.engine.check(stack.checked())
                shown |= self._checked(answer, form, frame, words)
            except (ValidationError, BadQuestion) as error:
                shown |= self._wrong(error, form, frame, words)
        data = address("/check", form.values) if form.values else None
        return self._shown("check.html", frame, form=form, data=data, **shown)

    def _checked(self, answer: Mapping[str, Any], form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        order = ("error", "unknown", "warning", "ok")
        findings = sorted(answer["findings"], key=lambda finding: order.index(finding["severity"]))
        return {
            "answer": answer,
            "title": f"{words('verdict.' + answer['verdict'])}: {words('check.' + answer['verdict'])}",
            "findings": [{**finding, "reasons": reasons(finding["because"], self.views)} for finding in findings],
            "fixes": [self._fix(fix, answer, form, frame, "/check") for fix in answer["fixes"]],
            "drawing": drawing(answer, form, words) if answer["verdict"] == "no" else None,
        }

    # --- tables -------------------------------------------------------------------------------------------------

    def matrix(self, parameters: Mapping[str, str], frame: Frame) -> Shown:
        """The page of a table: GPU x torch, or with `table=drivers` driver x CUDA."""
        table = "drivers" if parameters.get("table") == "drivers" else "torch"
        form = Form({name: text for name in MATRIX if (text := parameters.get(name, "").strip())}, MATRIX)
        words = Words(frame.language)
        shown: dict[str, Any] = {"columns": [], "rows": [], "counts": {}, "problem": None, "wrong": ""}
        try:
            shown |= (self._driver_matrix if table == "drivers" else self._torch_matrix)(form, frame, words)
        except (ValidationError, BadQuestion) as error:
            shown |= self._wrong(error, form, frame, words)
        shown["title"] = words(f"matrix.{table}")
        asked = {name: text for name, text in form.values.items() if name not in ("table", "releases", "from")}
        data = address(f"/matrix/{table}", {"os": form["os"]} if table == "drivers" else asked)
        return self._shown("matrix.html", frame, form=form, table=table, data=data, **shown)

    def _torch_matrix(self, form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        asked = {name: text for name, text in form.values.items() if name not in ("table", "releases", "from")}
        question = TorchMatrixQuery.model_validate(asked)
        table = self.answers.tables.torch(question.asked(), question.variant)
        columns = table["torch"] if form["releases"] == "all" else newest_of_each_minor(table["torch"])
        counts = {verdict: table["counts"].get(verdict, 0) for verdict in ("yes", "no", "unknown")}
        return {"columns": columns, "rows": torch_rows(table, columns, words, frame), "counts": counts}

    def _driver_matrix(self, form: Form, frame: Frame, words: Words) -> dict[str, Any]:
        question = DriverMatrixQuery.model_validate({"os": form["os"]} if form["os"] else {})
        table = self.answers.tables.drivers(question.os)
        columns, rows = driver_rows(table, "" if form["from"] == "all" else form["from"] or SINCE, words, frame)
        return {"columns": columns, "rows": rows, "counts": {}, "majors": list(_majors(table["cuda"]))}

    # --- claims -------------------------------------------------------------------------------------------------

    def claim(self, identity: str, frame: Frame) -> Rendered | None:
        """The page of one claim; None where there is none of that id."""
        claim, plain = self.provenance.claim(identity), self.views.claim(identity)
        if claim is None or plain is None:
            return None
        own = ("id", "relation", "subject", "standing", "evidence", "links", "data_version", "uncertain", "because")
        says = [(name.replace("_", " "), _said(value)) for name, value in plain.items() if name not in own]
        return self._page("claim.html", frame, claim=claim, says=says)

    # --- the assistant ------------------------------------------------------------------------------------------

    def ask(self, asking: Asking, frame: Frame) -> Shown:
        """The page of the assistant: empty, with the answer to a message, or with what is wrong with it."""
        words = Words(frame.language)
        shown: dict[str, Any] = {"parts_shown": None, "end": "", "problem": None, "title": words("ask.title")}
        shown["reply_language"] = frame.language
        status = 200
        if asking.message:
            try:
                body = asking.body()
            except ValidationError as error:
                shown["problem"] = _invalid(error, "/ask")
                status = shown["problem"].status
            else:
                advice = self.answers.advice(body.message, (), body.known(), body.without)
                linked = asking if len(asking.message) <= LINKED else None
                shown["reply_language"] = advice["language"]
                shown["parts_shown"] = list(parts(advice, self.templates, frame))
                shown["end"] = self.templates.piece("answer_end.html", frame, **shown_answer(advice, linked, frame))
                if advice["diagnosis"]:
                    shown["title"] = advice["diagnosis"]["title"]
        page = self._page(
            "ask.html",
            frame,
            said=asking.message[:SHOWN],
            more=len(asking.message) if len(asking.message) > SHOWN else 0,
            limit=MAX_MESSAGE,
            bytes=MAX_PASTE_BYTES,
            **shown,
        )
        return Shown(page, status)

    def streamed(self, body: AskBody, frame: Frame) -> Iterator[str]:
        """The answer to a message as the data of the events of a stream: its blocks, then what stands below it."""
        advice = self.answers.advice(body.message, body.turns(), body.known(), body.without)
        for part in parts(advice, self.templates, frame):
            yield json_bytes({"part": part}).decode().rstrip()
        end = self.templates.piece("answer_end.html", frame, **shown_answer(advice, None, frame))
        facts = {name: fact["value"] for name, fact in advice["facts"].items()}
        yield (
            json_bytes({"end": end, "answer": advice["answer"], "language": advice["language"], "facts": facts})
            .decode()
            .rstrip()
        )

    # --- products -----------------------------------------------------------------------------------------------

    def gpu(self, id: str, frame: Frame) -> Rendered | None:
        """The page of one product; None where there is none of that id."""
        gpu = self.views.gpu(id)
        if gpu is None:
            return None
        shown = product(gpu, Words(frame.language), self.views)
        return self._page("gpu.html", frame, gpu=gpu, shown=shown)

    def gpus(self, q: str, architecture: str, frame: Frame) -> Rendered:
        """The list of products, those that fit the filter; an architecture that no product has is no filter."""
        chosen = architecture if architecture in self.views.architectures else ""
        listed = self.views.listed(q or None, chosen or None)
        return self._page(
            "gpus.html",
            frame,
            q=q,
            architecture=chosen,
            architectures=self.views.architectures,
            groups=products(listed),
            count=listed["count"],
            total=len(self.views.gpus),
            filtered=bool(q or chosen),
            data=address("/gpus", {"q": q, "architecture": chosen}),
        )

    def problem(self, problem: Problem, frame: Frame) -> Rendered:
        """What is wrong with an address."""
        words = Words(frame.language)
        candidates = [{"name": name, "address": frame.link(f"/gpus/{quote(name)}")} for name in problem.candidates]
        key = f"about.{problem.type}"
        about = words(key) if words.has(key) else problem.detail
        return self._page("problem.html", frame, type=problem.type, about=about, candidates=candidates)


def _majors(cudas: Iterable[str]) -> Iterator[str]:
    """The CUDA releases that begin a major version, newest first."""
    return (cuda for cuda in cudas if cuda.endswith(".0"))


def _said(value: Any) -> str:
    """A value of a claim as it is read."""
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_said(part)}" for name, part in value.items())
    return str(value)


def _invalid(error: ValidationError, address: str) -> Problem:
    """The problem for values that cannot be read, in the words of the API."""
    return invalid(
        RequestValidationError([{**part, "loc": ("query", *part["loc"])} for part in error.errors()]), address
    )


def _natural(text: str) -> list[tuple[float, str]]:
    """A key that sorts numbers by their value, the newest first: Ubuntu 24.04 before 22.04."""
    return [
        (-float(part), "") if part[0].isdigit() else (0.0, part)
        for part in re.findall(r"\d+(?:\.\d+)?|\D+", text.casefold())
    ]
