"""Answers in a real browser: by mouse and keyboard, wide and narrow, in both languages, with and without script."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open

AXE = Path(AXE_FILE_PATH).read_text(encoding="utf-8")
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
NO = "/?gpu=rtx5090&torch=2.6.0%2Bcu124"
PAGES = [
    "/",
    "/?gpu=v100,rtx5090&os=ubuntu-24.04",
    NO,
    "/?gpu=rtx+4000",
    "/matrix?torch=%3E%3D2.9",
    "/gpus/geforce-rtx-5090",
]
MORE = [
    "/check?gpu=rtx5090&torch=2.6.0%2Bcu124",
    "/ask?q=RTX+5090+no+kernel+image+is+available",
    "/gpus?architecture=Hopper",
    "/matrix?table=drivers",
]


def violations(page: Page) -> list[str]:
    """What axe finds wrong, everything opened that can be."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.evaluate(AXE)  # not by a script element: the policy of the page forbids that
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [f"{part['id']}: {node['target']} {node['failureSummary']}" for part in found for node in part["nodes"][:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(open_page: Open, scheme: str) -> None:
    with open_page("/", color_scheme=scheme) as page:
        found = {}
        for path in (*PAGES, *MORE):
            page.goto(path)
            found[path] = violations(page)
        assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_nothing_is_wider_than_a_phone(open_page: Open) -> None:
    with open_page("/", **PHONE) as page:
        for path in (*PAGES, *MORE):
            for language in ("en", "zh"):
                page.goto(f"{path}{'&' if '?' in path else '?'}lang={language}")
                assert page.evaluate("document.documentElement.scrollWidth") <= 360, (path, language)


def test_typed_and_answered_by_keyboard(open_page: Open) -> None:
    with open_page("/") as page:
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("Skip to the content")
        gpu = page.get_by_role("combobox", name="GPU")
        gpu.focus()
        page.keyboard.type("4090")
        options = page.locator(".suggestions:visible li")
        expect(options.first).to_contain_text("GeForce RTX 4090")
        page.keyboard.press("ArrowDown")
        expect(options.first).to_have_attribute("aria-selected", "true")
        page.keyboard.press("ArrowUp")
        expect(options.last).to_have_attribute("aria-selected", "true")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(gpu).to_have_value("GeForce RTX 4090")
        expect(options).to_have_count(0)
        page.keyboard.type(", v10")
        expect(options.first).to_be_visible()
        page.keyboard.press("Escape")
        expect(options).to_have_count(0)
        page.keyboard.type("0")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="works on GeForce RTX 4090, Tesla V100")).to_be_visible()
        assert page.url.endswith("/?gpu=GeForce+RTX+4090%2C+v100"), "what was left empty is not in the address"
        page.get_by_text("Why", exact=True).first.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("GeForce RTX 4090 has compute capability 8.9.")).to_be_visible()


def test_a_suggestion_taken_by_mouse(open_page: Open) -> None:
    with open_page("/") as page:
        page.get_by_role("combobox", name="GPU").press_sequentially("gtx 108")
        page.get_by_role("option", name="GeForce GTX 1080 Ti").click()
        expect(page.get_by_role("combobox", name="GPU")).to_have_value("GeForce GTX 1080 Ti")


def test_no_and_the_way_out(open_page: Open) -> None:
    with open_page(NO) as page:
        expect(page.locator(".headline")).to_contain_text("These do not go together")
        expect(page.get_by_role("img", name="Drawing: torch 2.6.0+cu124 has no code")).to_be_visible()
        page.get_by_role("link", name="Ask again with this").click()
        expect(page.locator(".headline")).to_contain_text("Yes")
        expect(page.get_by_label("torch", exact=True)).not_to_have_value("2.6.0+cu124")


def test_copying(open_page: Open) -> None:
    with open_page("/?gpu=rtx5090", permissions=["clipboard-read", "clipboard-write"]) as page:
        command = page.locator(".command").filter(has_text="pip install").first
        command.get_by_role("button").click()
        expect(command.get_by_role("button")).to_contain_text("Copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == command.locator("code").text_content()
        page.get_by_role("button", name="Copy Dockerfile").click()
        expect(page.locator("button.done")).to_have_count(2)
        assert page.evaluate("navigator.clipboard.readText()").startswith("#")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download compose.yaml").click()
        assert download.value.suggested_filename == "compose.yaml"


def test_copying_that_is_forbidden_selects(open_page: Open) -> None:
    with open_page("/?gpu=rtx5090") as page:
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        command = page.locator(".command").first
        command.get_by_role("button").click()
        expect(command.get_by_role("button")).to_contain_text("Press Ctrl+C")
        assert page.evaluate("getSelection().toString()").strip() == command.locator("code").text_content()


def test_which_one_and_not_that(open_page: Open) -> None:
    with open_page("/?gpu=rtx+4000,t4") as page:
        page.get_by_role("link", name="Quadro RTX 4000").click()
        expect(page.locator(".headline")).to_contain_text("works on Quadro RTX 4000, Tesla T4")
        page.goto("/?gpu=rx+7900+xtx")
        expect(page.get_by_text("is not made by NVIDIA")).to_be_visible()
        page.goto("/?gpu=rtx5090&torch=2.19")
        expect(page.locator(".headline")).to_contain_text("Unknown")
        expect(page.get_by_text("newer than what this data covers")).to_be_visible()


def test_matrix(open_page: Open) -> None:
    with open_page("/matrix") as page:
        everything = page.locator("td").count()
        page.get_by_label("torch releases").fill(">=2.8")
        page.get_by_label("Driver installed").fill("535")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url("**/matrix?*driver=535*")
        assert 0 < page.locator("td").count() < everything
        head = page.locator("thead th").nth(1)
        before = head.bounding_box()
        page.locator(".grid").evaluate("part => { part.scrollTop = 200; }")
        assert head.bounding_box() == before, "the head stays"
        page.locator("tbody td.no a").first.click()
        expect(page.locator(".headline")).to_contain_text("No")
        expect(page.get_by_label("Driver installed")).to_have_value("535")


def test_language(open_page: Open) -> None:
    with open_page("/?gpu=t4", locale="zh-CN") as page:
        expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
        expect(page.locator(".headline")).to_contain_text("可以")
        page.get_by_role("link", name="English").click()
        expect(page.locator(".headline")).to_contain_text("Yes")
        page.get_by_role("button", name="Find a stack").click()
        expect(page.locator(".headline")).to_contain_text("Yes")
        page.get_by_role("link", name="Tesla T4").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")


def test_without_script(open_page: Open) -> None:
    with open_page("/", java_script_enabled=False) as page:
        page.get_by_label("GPU", exact=True).fill("gtx 970")
        page.get_by_label("Driver installed").fill("590")
        page.get_by_role("button", name="Find a stack").click()
        expect(page.locator(".headline")).to_contain_text("No")
        page.get_by_role("link", name="Ask again with this").click()
        expect(page.locator(".headline")).to_contain_text("Yes")
        page.get_by_text("Why", exact=True).first.click()
        expect(page.get_by_text("GeForce GTX 970 has compute capability 5.2.")).to_be_visible()
        expect(page.locator("button.copy").first).to_be_hidden()
        page.get_by_role("link", name="Ask", exact=True).click()
        page.get_by_label("Your question or error text").fill(
            "RTX 5090: no kernel image is available\nтorch 2.6.0+cu124"
        )
        page.get_by_role("button", name="Ask").click()
        expect(page.locator(".reply")).to_contain_text("Framework build has no kernels")
        page.get_by_text("GeForce RTX 5090", exact=True).last.click()
        page.get_by_role("link", name="Leave it out").first.click()
        page.wait_for_url("**without=gpu*")


def test_nothing_moves(open_page: Open) -> None:
    """No layout shift from the first paint on, and no script that blocks it."""
    with open_page("/") as page:
        for path in ("/?gpu=rtx5090", NO, "/matrix", "/ask?q=RTX+5090"):
            page.goto(path, wait_until="networkidle")
            shift = page.evaluate(
                "new Promise((done) => { let sum = 0; new PerformanceObserver((list) => { for (const e of list.getEntries())"
                " if (!e.hadRecentInput) sum += e.value; }).observe({type: 'layout-shift', buffered: true});"
                " setTimeout(() => done(sum), 100); })"
            )
            assert shift < 0.01, path
