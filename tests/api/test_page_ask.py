"""The assistant's page without a browser: answers in the address and by form, the stream, corrections, and hostile Markdown."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi.testclient import TestClient

from api.bodies import AskBody
from api.page.asking import LINKED, SHOWN
from api.page.markdown import blocks
from api.settings import CONTEXT_KEYS
from assistant.assistant import MAX_MESSAGE, Assistant
from assistant.conversation import WITHOUT
from resolver.engine import Engine
from tests.api.test_contract import is_problem
from tests.api.test_page import HTML, Links, page, text_of

NO_KERNEL = "CUDA error: no kernel image is available for execution on the device, RTX 5090, torch 2.6.0+cu124"
EVENTS = {"accept": "text/event-stream"}
FORM = {**HTML, "content-type": "text/plain"}


def events(client: TestClient, question: dict[str, Any], address: str = "/ask") -> list[dict[str, Any]]:
    """The data of a stream."""
    response = client.post(address, json=question, headers=EVENTS)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache"
    assert response.text.endswith("\n\n")
    return [json.loads(event.removeprefix("data: ")) for event in response.text.split("\n\n")[:-1]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_empty(client: TestClient, language: str) -> None:
    html = page(client, f"/ask?lang={language}")
    assert "<textarea" in html
    for link in Links(html).addresses:
        if link.startswith("/ask?q"):
            assert 'class="turn"' in page(client, link)


def test_an_answer_has_an_address(client: TestClient, engine: Engine) -> None:
    html = client.get("/ask", params={"q": NO_KERNEL}, headers=HTML)
    assert html.headers["cache-control"] == "no-store", "no cache keeps what somebody pasted"
    said = text_of(html.text)
    advice = Assistant(engine).ask(NO_KERNEL)
    assert advice["diagnosis"]["title"] in said
    assert "<h3>Fix</h3>" in html.text
    for fix in advice["fixes"]:
        assert fix["stack"]["install"]["pip"] in said
    for source in advice["sources"]:
        assert f'<a href="{source}">' in html.text
    assert "GPU GeForce RTX 5090" in said
    assert "/?gpu=GeForce+RTX+5090" in Links(html.text).addresses


def test_chips_ask_again(client: TestClient) -> None:
    html = client.get("/ask", params={"q": NO_KERNEL}, headers=HTML).text
    remove = [link for link in Links(html).addresses if "without=" in link]
    assert len(remove) == 2
    left = dict(parse_qsl(urlsplit(next(link for link in remove if link.endswith("=gpu"))).query))
    assert left == {"q": NO_KERNEL, "without": "gpu"}
    again = client.get("/ask", params={**left, "gpu": "GTX 1080 Ti"}, headers=HTML).text
    assert "GeForce GTX 1080 Ti" in text_of(again)
    gone = client.get("/ask", params=left, headers=HTML).text
    assert "without=gpu%2Ctorch" in gone
    assert "All stacks for this machine" not in text_of(gone)


def test_without(client: TestClient) -> None:
    def facts(**more: Any) -> dict[str, str]:
        answer = client.post("/ask", json={"message": NO_KERNEL, **more}).json()
        return {name: fact["value"] for name, fact in answer["facts"].items()}

    assert facts() == {"gpu": "GeForce RTX 5090", "torch": "2.6.0+cu124"}
    assert facts(without=["gpu"]) == {"torch": "2.6.0+cu124"}
    assert facts(without="gpu", context={"gpu": "T4"}) == {"gpu": "Tesla T4", "torch": "2.6.0+cu124"}
    history = [{"role": "user", "content": "my driver is 535.183.01, python 3.12"}]
    assert facts(without=["driver", "torch"], history=history) == {"gpu": "GeForce RTX 5090", "python": "3.12"}
    document = is_problem(client.post("/ask", json={"message": "x", "without": ["cpu"]}), 422, "invalid-request")
    assert document["errors"][0]["path"].startswith("without")
    literal = AskBody.model_json_schema()["properties"]["without"]["items"]["enum"]
    assert literal == list(WITHOUT)


def test_the_form_without_script(client: TestClient) -> None:
    short = client.post("/ask?lang=zh", content="q=GTX 1080 Ti 该装哪个版本的 CUDA？\r\n".encode(), headers=FORM)
    assert short.status_code == 303
    assert dict(parse_qsl(urlsplit(short.headers["location"]).query)) == {
        "q": "GTX 1080 Ti 该装哪个版本的 CUDA？",
        "lang": "zh",
    }
    log = "step 1 loss 0.1\r\n" * 20_000 + NO_KERNEL
    assert len(log) > LINKED
    long = client.post("/ask", content=f"q={log}\r\n".encode(), headers=FORM)
    assert long.status_code == 200
    assert long.headers["cache-control"] == "no-store"
    said = text_of(long.text)
    assert "Framework build has no kernels" in said
    assert f"{len(log.replace(chr(13), ''))} characters in all" in said
    assert long.text.count("step 1 loss 0.1") < SHOWN // 10
    assert 'href="#content"' in long.text, "a chip that no address can hold"


def test_too_much(client: TestClient) -> None:
    long = client.post("/ask", content=("q=" + "x" * (MAX_MESSAGE + 1)).encode(), headers=FORM)
    assert long.status_code == 422
    assert "must have at most 1000000 characters" in text_of(long.text)
    more = client.post("/ask", content=b"q=" + b"x" * (3 * MAX_MESSAGE), headers=FORM)
    assert more.status_code == 413


def test_other_posts_are_the_apis(client: TestClient) -> None:
    answer = client.post("/ask", json={"message": "RTX 5090"}, headers=HTML)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "message", [NO_KERNEL, "GTX 1080 Ti 该装哪个版本的 CUDA？", "how do I bake bread?", "segfault"]
)
def test_the_stream_is_the_page(client: TestClient, message: str) -> None:
    *parts, last = events(client, {"message": message})
    assert parts
    answer = client.post("/ask", json={"message": message}).json()
    assert (last["answer"], last["language"]) == (answer["answer"], answer["language"])
    assert last["facts"] == {name: fact["value"] for name, fact in answer["facts"].items()}
    html = client.get("/ask", params={"q": message}, headers=HTML).text
    for part in parts:
        assert part["part"] in html
    assert f'class="reply" lang="{"zh-Hans" if answer["language"] == "zh" else "en"}"' in html


def test_the_stream_speaks_the_language_of_the_page(client: TestClient) -> None:
    assert "复制" in events(client, {"message": "RTX 5090"}, "/ask?lang=zh")[-2]["part"]


def test_the_stream_refuses_as_the_api(client: TestClient) -> None:
    for question in ({"message": ""}, {"message": "x", "context": {"cpu": "i7"}}, {}):
        refused = client.post("/ask", json=question, headers=EVENTS)
        is_problem(refused, 422, "invalid-request")
        assert refused.json() == client.post("/ask", json=question).json()


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html;base64,eA==)",
        "![x](https://example.org/x.png)",
        "<javascript:alert(1)>",
        "```\n</code></pre><script>alert(1)</script>\n```",
        "&lt;script&gt;",
    ],
)
def test_markdown_is_not_a_way_in(hostile: str) -> None:
    made = "".join(html for kind, html in blocks(hostile) if kind == "html")
    assert "<script" not in made
    assert "<img" not in made
    assert 'href="javascript' not in made
    assert 'href="data' not in made


def test_a_paste_is_not_a_way_in(client: TestClient) -> None:
    message = f'{NO_KERNEL} <script>alert(1)</script> "onmouseover="alert(1)'
    html = client.get("/ask", params={"q": message, "gpu": '"><script>'}, headers=HTML)
    assert "<script>" not in html.text
    assert Links(html.text).inline == []
    wrong = client.get("/ask", params={"q": "x", "gpu": "a\nb"}, headers=HTML)
    assert wrong.status_code == 422


def test_blocks() -> None:
    found = list(blocks("**Title**\n\n**Half** of it\n\n**a** **b**\n\n```sh\nls\n```\n\n4. four\n"))
    assert [kind for kind, _ in found] == ["html", "html", "html", "code", "html"]
    assert found[0][1] == "<h3>Title</h3>\n"
    assert found[1][1].startswith("<p><strong>Half")
    assert found[2][1].startswith("<p><strong>a")
    assert found[3][1] == "ls"
    assert found[4][1].startswith('<ol start="4">')


def test_every_context_has_a_chip() -> None:
    assert set(CONTEXT_KEYS) - {"cuda"} <= set(WITHOUT)
