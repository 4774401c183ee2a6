"""Pages about what is known: tables, products and claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from api.bodies import DriverMatrixQuery, TorchMatrixQuery
from api.page.base import Base, Shown, refused
from api.page.matrix import driver_rows, newest_of_each_minor, torch_rows
from api.page.products import product, products
from api.page.question import Form
from api.page.rendering import Frame, address
from api.page.words import Words
from api.problems import Problem
from api.rendering import Rendered
from resolver.errors import BadQuestion

__all__ = ["KnowledgePages"]

SINCE = "11.0"  # where the table of drivers begins, unless more is asked for
MATRIX = ("table", "gpu", "os", "machine", "driver", "python", "torch", "variant", "releases", "from")


class KnowledgePages(Base):
    """The pages of `/matrix`, `/gpus` and `/claims`, and of addresses where nothing is."""

    def matrix(self, parameters: Mapping[str, str], frame: Frame) -> Shown:
        """The page of a table: GPU x torch, or with `table=drivers` driver x CUDA."""
        table = "drivers" if parameters.get("table") == "drivers" else "torch"
        form = Form({name: text for name in MATRIX if (text := parameters.get(name, "").strip())}, MATRIX)
        words = Words(frame.language)
        shown: dict[str, Any] = {"columns": [], "rows": [], "counts": {}, "problem": None, "wrong": ""}
        try:
            shown |= (self._driver_matrix if table == "drivers" else self._torch_matrix)(form, frame, words)
        except (ValidationError, BadQuestion) as error:
            shown |= refused(error, form, frame, words)
        shown["title"] = words(f"matrix.{table}")
        asked = {name: text for name, text in form.values.items() if name not in ("table", "releases", "from")}
        data = address(f"/matrix/{table}", {"os": form["os"]} if table == "drivers" else asked)
        return self.shown("matrix.html", frame, form=form, table=table, data=data, **shown)

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

    def claim(self, identity: str, frame: Frame) -> Rendered | None:
        """The page of one claim; None where there is none of that id."""
        claim, plain = self.provenance.claim(identity), self.views.claim(identity)
        if claim is None or plain is None:
            return None
        own = ("id", "relation", "subject", "standing", "evidence", "links", "data_version", "uncertain", "because")
        says = [(name.replace("_", " "), _said(value)) for name, value in plain.items() if name not in own]
        return self.templates.page("claim.html", frame, claim=claim, says=says)

    def gpu(self, id: str, frame: Frame) -> Rendered | None:
        """The page of one product; None where there is none of that id."""
        gpu = self.views.gpu(id)
        if gpu is None:
            return None
        shown = product(gpu, Words(frame.language), self.views)
        return self.templates.page("gpu.html", frame, gpu=gpu, shown=shown)

    def gpus(self, q: str, architecture: str, frame: Frame) -> Rendered:
        """The list of products, those that fit the filter; an architecture that no product has is no filter."""
        chosen = architecture if architecture in self.views.architectures else ""
        listed = self.views.listed(q or None, chosen or None)
        return self.templates.page(
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
        return self.templates.page("problem.html", frame, type=problem.type, about=about, candidates=candidates)


def _majors(cudas: Iterable[str]) -> Iterator[str]:
    """The CUDA releases that begin a major version, newest first."""
    return (cuda for cuda in cudas if cuda.endswith(".0"))


def _said(value: Any) -> str:
    """A value of a claim as it is read."""
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return str(value)
