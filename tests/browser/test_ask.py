"""The conversation in a real browser: streamed answers, large pastes, files, corrections, and what is kept where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open

NO_KERNEL = "RTX 5090: no kernel image is available for execution on the device, torch 2.6.0+cu124"


def send(page: Page, text: str) -> None:
    paste(page, text)
    page.locator("#ask button[type=submit]").click()


def paste(page: Page, text: str) -> None:
    """Put a text into the field at once, as pasting does: typing a megabyte takes its time."""
    page.locator("#q").evaluate("(field, text) => { field.value = text; }", text)


@pytest.mark.parametrize(
    ("language", "message", "says", "follow"),
    [
        ("en", NO_KERNEL, "Framework build has no kernels", "Which PyTorch fits a GeForce RTX 5090?"),
        ("zh", "GTX 1080 Ti 该装哪个版本的 CUDA？", "适用于 GeForce GTX 1080 Ti", "我需要单独安装 CUDA Toolkit 吗？"),
    ],
)
def test_a_conversation(open_page: Open, language: str, message: str, says: str, follow: str) -> None:
    with open_page(f"/ask?lang={language}") as page:
        with page.expect_response(lambda response: response.request.method == "POST") as answer:
            send(page, message)
        assert answer.value.headers["content-type"].startswith("text/event-stream")
        reply = page.locator(".reply")
        expect(reply).to_contain_text(says)
        expect(reply).not_to_have_attribute("aria-busy", "true")
        expect(page.locator(".said")).to_have_text(message)
        expect(page.locator("#q")).to_have_value("")
        page.get_by_role("link", name=follow).click()
        expect(page.locator(".turn")).to_have_count(2)
        expect(page.locator(".reply").nth(1).locator(".next")).to_be_visible()
        page.reload()
        expect(page.locator(".turn")).to_have_count(2)
        expect(page.locator(".reply").first).to_contain_text(says)
        kept = json.loads(page.evaluate("localStorage.getItem('whichcuda.talk')"))
        assert [turn["message"] for turn in kept["turns"]] == [message, follow]
        assert page.context.cookies() == []
        page.locator("button.clear").click()
        expect(page.locator(".turn")).to_have_count(0)
        page.reload()
        expect(page.locator(".turn")).to_have_count(0)


def test_what_was_said_before_counts(open_page: Open) -> None:
    with open_page("/ask") as page:
        send(page, "I have a GTX 1080 Ti")
        expect(page.locator(".reply .next")).to_be_visible()
        send(page, "does it have bf16?")
        expect(page.locator(".reply").nth(1)).to_contain_text("GTX 1080 Ti")


def test_facts_are_put_right(open_page: Open) -> None:
    with open_page("/ask") as page:
        send(page, NO_KERNEL)
        chips = page.locator(".chip")
        expect(chips).to_have_count(2)
        chips.first.locator("summary").click()
        expect(chips.first).to_contain_text("read from: RTX 5090: no kernel image")
        chips.first.get_by_label("GPU").fill("GTX 970")
        chips.first.get_by_role("button", name="Ask again").click()
        expect(page.locator(".chip").first).to_contain_text("GeForce GTX 970")
        expect(page.locator(".turn")).to_have_count(1)
        page.locator(".chip").nth(1).locator("summary").click()
        page.locator(".chip").nth(1).get_by_text("Leave it out").click()
        expect(page.locator(".chip")).to_have_count(1)
        expect(page.locator(".chip")).to_contain_text("GeForce GTX 970")
        page.get_by_role("link", name="All stacks for this machine").click()
        expect(page.locator(".headline")).to_contain_text("works on GeForce GTX 970")


def test_a_megabyte(open_page: Open) -> None:
    log = "".join(f"[{number}] INFO worker step loss 0.123\n" for number in range(30_000))
    log = log[: 1_000_000 - len(NO_KERNEL) - 1] + "\n" + NO_KERNEL
    with open_page("/ask") as page:
        send(page, log)
        expect(page.locator(".reply")).to_contain_text("Framework build has no kernels")
        expect(page.locator(".said")).to_contain_text("characters in all")
        assert len(page.locator(".said").text_content() or "") < 3_000
        expect(page.locator(".reply")).not_to_have_attribute("aria-busy", "true")  # kept when the answer has ended
        assert page.evaluate("localStorage.getItem('whichcuda.talk').length") < 60_000
        send(page, "x" * 200_000 + log)
        expect(page.locator("#said-q")).to_contain_text("1,200,000 characters; at most 1,000,000")
        expect(page.locator(".turn")).to_have_count(1)
        page.get_by_role("button", name="Use the end").click()
        expect(page.locator(".reply").nth(1)).to_contain_text("Framework build has no kernels")


def test_files(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("step 1\n" * 1_000 + NO_KERNEL, encoding="utf-8")
    with open_page("/ask") as page:
        page.locator("#file").set_input_files(path)
        expect(page.locator("#said-q")).to_contain_text("train.log")
        expect(page.locator("#q")).to_have_value(path.read_text(encoding="utf-8"))
        page.locator("#q").fill("")
        page.evaluate(
            """(text) => {
                const files = new DataTransfer();
                files.items.add(new File([text], "dropped.log", { type: "text/plain" }));
                const form = document.getElementById("ask");
                form.dispatchEvent(new DragEvent("dragover", { dataTransfer: files, bubbles: true, cancelable: true }));
                form.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
            }""",
            (("größe " * 20 + "\n") * 12_000 + NO_KERNEL),
        )
        expect(page.locator("#said-q")).to_contain_text("dropped.log: its last")
        page.locator("#q").press("Control+Enter")
        expect(page.locator(".reply")).to_contain_text("Framework build has no kernels")


def test_a_server_that_fails_is_told(open_page: Open) -> None:
    with open_page("/ask") as page:
        page.route("**/ask*", lambda route: route.fulfill(status=429, json={"detail": "too many requests"}))
        send(page, "RTX 5090")
        expect(page.locator("#said-q")).to_have_text("That did not work: too many requests")
