"""The page without a browser: what each view says, in both languages, and that it keeps to the contract of the web."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.app import create_app
from api.page.drawing import drawing
from api.page.ladder import headline
from api.page.products import figures
from api.page.question import Form
from api.page.words import WORDS, Words
from api.settings import Settings
from matrices.catalogue import Catalogue
from resolver.engine import Asked, Engine

HTML = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


class Links(HTMLParser):
    """Every address of a page, its inline styles and scripts, and whether its tags are closed in order."""

    VOID = frozenset("meta link input br img hr".split())

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.inline: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.addresses += [found[name] or "" for name in ("href", "src") if name in found]
        self.ids += [found["id"] or ""] if "id" in found else []
        self.inline += [name for name in found if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" or (tag == "script" and "src" not in found) else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag


def page(client: TestClient, address: str, status: int = 200, **headers: str) -> str:
    """A page, sound in itself."""
    response = client.get(address, headers={**HTML, **headers})
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["vary"] == "Accept, Accept-Language"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    links = Links(response.text)
    assert links.inline == [], "the policy of the page forbids it"
    assert len(links.ids) == len(set(links.ids)), "an id twice"
    return response.text


def text_of(html: str) -> str:
    """What is read on a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.partition("<main")[2])).split())


VIEWS = [
    "/",
    "/?gpu=rtx5090&os=ubuntu-24.04",
    "/?gpu=rtx5090&torch=2.6.0%2Bcu124",
    "/?gpu=k80,rtx5090",
    "/?gpu=v100&gpu=rtx5090&prefer=conservative",
    "/?gpu=jetson+orin+nano",
    "/?gpu=rtx5090&torch=2.19",
    "/?gpu=sm_90&os=wsl2&machine=x86_64",
    "/gpus",
    "/gpus?q=5090",
    "/gpus?architecture=Hopper",
    "/gpus?q=nothing+such",
    "/gpus/geforce-rtx-5090",
    "/gpus/geforce-gtx-480",
    "/gpus/jetson-orin-nano-8gb",
    "/check",
    "/check?gpu=rtx5090&driver=570&torch=2.6.0%2Bcu124&image=nvidia/cuda:12.8.1-runtime-ubuntu24.04",
    "/check?gpu=a100&driver=535.183.01&torch=2.6.0%2Bcu124",
    "/?gpu=a100&driver=535&torch=2.15.0&container_runtime=cdi",
    "/check?gpu=t4&image=nvidia/cuda:99.1-base",
    "/matrix",
    "/matrix?releases=all&torch=%3E%3D2.9&driver=570&os=ubuntu-24.04",
    "/matrix?gpu=t4,rtx5090&python=3.12",
    "/matrix?torch=2.19",
    "/matrix?table=drivers&from=99.0",
    "/matrix?table=drivers",
    "/matrix?table=drivers&from=all&os=windows-11",
    "/matrix?table=drivers&from=13.0",
    "/claims/branch-drives-cc:7.0:linux",
    "/claims/cc-needs-module:12.0",
    "/claims/gpu-has-cc:geforce-rtx-5090%232",
    "/?gpu=rtx5090&packages=vllm,flash-attn&driver=570.124.06",
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("address", VIEWS)
def test_every_view_in_both_languages(client: TestClient, address: str, language: str) -> None:
    html = page(client, address, **{"accept-language": language})
    assert f'<html lang="{"zh-Hans" if language == "zh" else "en"}">' in html
    assert ("中文" in html) == (language == "en")
    for link in Links(html).addresses:
        if link.startswith("/"):
            assert "lang=" not in link or "中文" in html or "English" in html
    again = client.get(address, headers={**HTML, "accept-language": language})
    assert again.text == html


def test_data_is_for_all_who_do_not_ask_for_a_page(client: TestClient) -> None:
    for accept in ("*/*", "application/json", "application/json, text/html;q=0.9"):
        for address in ("/", "/gpus", "/gpus/tesla-t4", "/check?gpu=t4", "/claims/gpu-has-cc:tesla-t4"):
            answer = client.get(address, headers={"accept": accept})
            assert answer.headers["content-type"] == "application/json", accept
            assert answer.headers["vary"] == "Accept"


def test_a_page_can_be_kept(client: TestClient) -> None:
    first = client.get("/?gpu=t4", headers=HTML)
    assert first.headers["cache-control"] == "public, max-age=300"
    again = client.get("/?gpu=t4", headers={**HTML, "if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["vary"] == "Accept, Accept-Language"
    head = client.head("/?gpu=t4", headers=HTML)
    assert head.headers["content-type"].startswith("text/html")
    assert head.content == b""


def test_the_language_of_the_address_stays(client: TestClient) -> None:
    html = page(client, "/?gpu=rtx5090&lang=zh&torch=2.6.0%2Bcu124")
    inside = [link for link in Links(html).addresses if link.startswith(("/?", "/gpus", "/claims"))]
    assert inside
    assert all("lang=" in link for link in inside)
    assert '<input type="hidden" name="lang" value="zh">' in html
    other = next(link for link in inside if "lang=en" in link)
    assert dict(parse_qsl(urlsplit(other).query)) == {"gpu": "rtx5090", "torch": "2.6.0+cu124", "lang": "en"}


def test_yes(client: TestClient) -> None:
    html = page(client, "/?gpu=rtx5090&os=ubuntu-24.04")
    said = text_of(html)
    answer = client.get("/resolve?gpu=rtx5090&os=ubuntu-24.04").json()
    best = answer["stacks"][0]
    assert f"<title>Yes: torch {best['torch']['version']}+{best['torch']['variant']} works on GeForce RTX 5090" in html
    for because in best["because"]:
        assert because["text"].replace("`", "") in said
        assert because["source"].removeprefix("https://")[:50] in said
        assert f"/claims/{because['claim'].split('+')[0]}" in unescape(html)
    for command in (*best["install"].values(), *best["driver"]["install"]["commands"]):
        assert command in said
        assert f'data-copy="{command}"' in unescape(html)
    for image in best["images"]:
        assert image["reference"] in said
    for other in answer["stacks"][1:]:
        assert f"{other['torch']['version']}+{other['torch']['variant']}" in said
    assert "2026-11-30" in said
    assert '<link rel="alternate" type="application/json" href="/resolve?gpu=rtx5090&amp;os=ubuntu-24.04">' in html
    assert "/dockerfile?gpu=rtx5090&amp;os=ubuntu-24.04" in html


def test_no(client: TestClient) -> None:
    html = page(client, "/?gpu=rtx5090&torch=2.6.0%2Bcu124&python=3.12")
    said = text_of(html)
    assert "These do not go together: torch 2.6.0+cu124, GeForce RTX 5090" in said
    assert '<svg class="drawing"' in html
    assert "Drawing: torch 2.6.0+cu124 has no code for GeForce RTX 5090" in said
    assert "Ask again with this" in said
    assert html.count('class="clashes"') == 2
    assert html.count('class="fits"') == 1, "the Python is drawn, and clashes with nothing"


def test_files(client: TestClient) -> None:
    """Every file that is offered can be had; containers are not offered on Windows, nothing where a stack is not sure."""
    for question in ("gpu=rtx5090&os=ubuntu-24.04", "gpu=t4&packages=vllm", "gpu=rtx4070&os=windows-11"):
        offered = [link for link in Links(page(client, f"/?{question}")).addresses if link.startswith("/artifacts/")]
        assert len(offered) == (8 if "windows" in question else 18), "each to open and to download"
        for address in offered:
            assert client.get(address).status_code == 200, address
    assert "/artifacts/" not in page(client, "/?gpu=rtx5090&torch=2.19")


def test_every_other_stack_can_be_looked_at(client: TestClient) -> None:
    jetson = page(client, "/?gpu=jetson+orin+nano")
    assert '<th scope="row" translate="no">2.' in jetson, "no address asks for a build of Jetson's"
    for question in ("gpu=v100", "gpu=k80", "gpu=rtx4070&os=windows-11"):
        html = page(client, f"/?{question}")
        others = re.findall(r'<tr><th scope="row"[^>]*><a href="([^"]+)"[^>]*>([^<]+)</a>', html)
        assert others
        for address, label in others:
            assert f"torch {label} " in text_of(page(client, unescape(address)))


def test_packages_and_what_ends(client: TestClient) -> None:
    answer = client.get("/resolve?gpu=rtx5090&packages=vllm,flash-attn&driver=570.124.06").json()
    said = text_of(page(client, "/?gpu=rtx5090&packages=vllm,flash-attn&driver=570.124.06"))
    for name, package in answer["stacks"][0]["packages"].items():
        assert f"{name} {package['version']}" in said
    assert answer["notices"]
    for notice in answer["notices"]:
        assert notice["text"] in said


def test_check(client: TestClient) -> None:
    question = "gpu=rtx5090&driver=570&torch=2.6.0%2Bcu124"
    html = page(client, f"/check?{question}")
    answer = client.get(f"/check?{question}").json()
    said = text_of(html)
    assert "No This stack does not work" in said
    positions = []
    for finding in answer["findings"]:
        text = finding["text"].replace("`", "")
        assert text in said
        positions.append(({"error": 0, "unknown": 1, "warning": 2, "ok": 3}[finding["severity"]], said.index(text)))
    assert [place for place, _ in sorted(positions)] == [place for place, _ in sorted(positions, key=lambda p: p[1])]
    again = next(link for link in Links(html).addresses if link.startswith("/check?") and "2.6.0" not in link)
    assert "Yes This stack works" in text_of(page(client, again))
    assert f'href="/check?{question.replace("&", "&amp;")}"' in html


def test_matrix_says_what_the_table_says(client: TestClient) -> None:
    table = client.get("/matrix/torch?gpu=gtx+1080+ti,rtx5090&torch=%3E%3D2.5").json()
    html = page(client, "/matrix?gpu=gtx+1080+ti,rtx5090&torch=%3E%3D2.5&releases=all")
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.findall(r'<td class="(\w+)"><a href="([^"]+)">', row) for row in body.split("</tr>")[:-1]]
    expected = [[cell["verdict"] for cell in row["cells"]] for row in reversed(table["rows"])]
    assert [[shade for shade, _ in row] for row in rows] == expected
    for shade, link in rows[0]:
        assert f'class="verdict {shade}"' in page(client, unescape(link)), link
    fewer = page(client, "/matrix?gpu=rtx5090&torch=%3E%3D2.5")
    assert fewer.count("<td") < len(expected[0])


def test_driver_matrix_cells_lead_to_their_reason(client: TestClient) -> None:
    table = client.get("/matrix/drivers").json()
    html = page(client, "/matrix?table=drivers&from=all")
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    cells = re.findall(r'<td class="(\w+)"><a href="([^"]+)">(.+?)</a>', body)
    alive = [row for row in table["rows"] if any(cell["verdict"] != "no" for cell in row["cells"])]
    assert len(cells) == sum(len(row["cells"]) for row in alive)
    for shade, link, word in cells[:: len(cells) // 25]:
        said = page(client, unescape(link))
        assert f'class="verdict {shade}"' in said or "compat" in word, link
    later = page(client, "/matrix?table=drivers&from=13.0")
    assert later.count("<td") < len(cells)


def test_a_claim(client: TestClient) -> None:
    said = text_of(page(client, "/claims/gpu-has-cc:geforce-rtx-5090%232"))
    assert "compute capability 10.0" in said
    assert "deprecated: an early copy of the list" in said
    assert "disagrees : gpu-has-cc:geforce-rtx-5090 , documented" in said
    assert "every-gpu every GPU of the question must be served" in said
    plain = text_of(page(client, "/claims/gpu-has-cc:geforce-rtx-5090"))
    assert "superseded: an early copy of the list" in plain
    uncertain = "/claims/package-needs-cc:cuda-libraries:%3E=11.8,%3C12"
    assert "Doubted by its own source" in text_of(page(client, uncertain))
    page(client, "/claims/of/nobody", 404)


def test_a_yes_with_other_ways(client: TestClient) -> None:
    html = page(client, "/?gpu=a100&driver=535&torch=2.15.0&container_runtime=cdi")
    assert "Yes torch 2.15.0+cu132 works on A100" in text_of(html)
    assert "Other ways" in text_of(html)
    assert '<input type="hidden" name="container_runtime" value="cdi">' in html


def test_no_without_a_way_out(client: TestClient) -> None:
    assert "No single change, and no two, would mend this." in text_of(page(client, "/?gpu=gtx+480"))


def test_unknown(client: TestClient) -> None:
    said = text_of(page(client, "/?gpu=rtx5090&torch=2.19"))
    assert "Unknown No stack can be named for GeForce RTX 5090" in said
    assert "What is not known 2.19 is newer than what this data covers" in said


@pytest.mark.parametrize(
    ("question", "says", "leads"),
    [
        ("gpu=rtx+4000,t4", "Which one is it?", "/?gpu=Quadro+RTX+4000%2C+t4"),
        ("gpu=rtx+5090+tj&driver=580", "No GPU is known by that name", "/?gpu=GeForce+RTX+5090&driver=580"),
        ("gpu=rx+7900+xtx", "is not made by NVIDIA", None),
        ("gpu=t4&driver=12.8", "that looks like a CUDA version", None),
        ("gpu=t4&os=ubuntoo", "operating system not known", "/?gpu=t4&os=ubuntu-24.04"),
        ("gpu=t4&machine=riscv", "machine", None),
        ("gpu=t4&prefer=oldest", "newest", None),
        ("gpu=" + "x" * 400, "at most 300 characters", None),
        ("/check?gpu=rtx+4000&torch=2.6.0", "Which one is it?", "/check?gpu=Quadro+RTX+4000&torch=2.6.0"),
        ("/check?driver=570&cuda=nine", "cuda", None),
        ("/check?image=" + "x" * 400, "at most 300 characters", None),
        ("/matrix?os=ubuntoo", "operating system not known", "/matrix?os=ubuntu-24.04"),
        ("/matrix?table=drivers&os=beos", "operating system not known", None),
        ("/matrix?python=snake", "python", None),
        ("/matrix?variant=" + "x" * 400, "at most 100 characters", None),
    ],
)
def test_what_cannot_be_judged(client: TestClient, question: str, says: str, leads: str | None) -> None:
    html = page(client, question if question.startswith("/") else f"/?{question}", 422)
    assert says in text_of(html)
    assert 'aria-invalid="true"' in html or any(name in question for name in ("prefer", "machine", "variant"))
    if leads is not None:
        assert leads in Links(html).addresses
        page(client, leads)


def test_a_problem_in_chinese(client: TestClient) -> None:
    assert "不是 NVIDIA 的产品" in text_of(page(client, "/?gpu=rx+7900+xtx&lang=zh", 422))
    assert "这个地址没有页面" in text_of(page(client, "/nothing?lang=zh", 404))


def test_what_was_written_is_shown_as_text(client: TestClient) -> None:
    html = page(client, "/?gpu=%3Cscript%3Ealert(1)%3C/script%3E&torch=%22%3E%3Cb%3E", 422)
    assert "<script>alert" not in html
    assert '"><b>' not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_unknown_addresses_have_a_page(client: TestClient) -> None:
    assert "/gpus/geforce-rtx-5090" in Links(page(client, "/gpus/rtx5090", 404)).addresses
    page(client, "/nothing", 404)
    for address in ("/nothing", "/static/other.css", "/static/../words.py"):
        assert client.get(address).headers["content-type"] == "application/problem+json"


def test_moved_products_lead_on() -> None:
    plain = dict(Engine.load().catalogue._plain)
    plain["moved"] = {"old-5090": "geforce-rtx-5090", "gpu-has-cc:old-5090": "gpu-has-cc:geforce-rtx-5090"}
    client = TestClient(create_app(Engine(Catalogue(plain)), Settings()), follow_redirects=False)
    response = client.get("/gpus/old-5090?lang=zh", headers=HTML)
    assert (response.status_code, response.headers["location"]) == (308, "/gpus/geforce-rtx-5090?lang=zh")
    response = client.get("/claims/gpu-has-cc:old-5090", headers=HTML)
    assert (response.status_code, response.headers["location"]) == (308, "/claims/gpu-has-cc:geforce-rtx-5090")


def test_static_files(client: TestClient) -> None:
    html = page(client, "/")
    for address in [link for link in Links(html).addresses if link.startswith("/static/")]:
        file = client.get(address)
        assert file.status_code == 200
        assert "immutable" in file.headers["cache-control"]
        assert file.headers["x-content-type-options"] == "nosniff"
        plain = client.get(address.partition("?")[0])
        assert plain.headers["cache-control"] == "public, max-age=300"
        assert plain.content == file.content


def test_a_first_paint_is_small(client: TestClient) -> None:
    """HTML and style of an answer, as they are sent: nothing is compressed or left out."""
    for address in ("/", "/?gpu=rtx5090&os=ubuntu-24.04", "/?gpu=k80,rtx5090&lang=zh"):
        html = page(client, address)
        style = client.get("/static/page.css").content
        assert len(html.encode()) + len(style) < 50_000, address


def test_words_stand_in_both_languages() -> None:
    def places(text: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    for key, (english, chinese) in WORDS.items():
        assert english.strip(), key
        assert chinese.strip(), key
        assert places(english) == places(chinese), key


def test_words_are_all_used() -> None:
    root = Path(__file__).parents[2] / "api"
    source = "\n".join(path.read_text(encoding="utf-8") for path in root.rglob("*") if path.suffix in (".py", ".html"))
    source = source.replace((root / "page" / "words.py").read_text(encoding="utf-8"), "")
    made = {found[1] for found in re.finditer(r"""['"]([a-z]+\.)(?:['{]|" \+|' \+|["]\s*\+)""", source)}
    for key in WORDS:
        assert f"'{key}'" in source or f'"{key}"' in source or key.partition(".")[0] + "." in made, key


def test_every_product_has_a_page(client: TestClient, engine: Engine) -> None:
    """With the answer of the resolver to it: a sample over all architectures, and the names that mean other products too."""
    sample = client.get("/gpus").json()["gpus"][::23]
    shared = [client.get(f"/gpus/{gpu}").json() for gpu in ("geforce-gtx-750", "geforce-8400-gs")]
    for gpu in (*sample, *shared):
        html = page(client, f"/gpus/{gpu['id']}")
        assert gpu["name"] in text_of(html)
        again = next(link for link in Links(html).addresses if link.startswith("/?gpu="))
        asked = dict(parse_qsl(urlsplit(again).query))["gpu"]
        assert asked in (gpu["name"], f"cc {gpu['compute_capability']}")
        assert f'class="verdict {engine.resolve(Asked([asked]))["verdict"]}"' in html


def test_figures_have_their_units() -> None:
    blank = dict.fromkeys(("architecture", "chip", "compute_capability", "family", "released", "memory_gb"))
    gpu = {**blank, "kernel_module": None, "pci_ids": [], "machines": ["x86_64"], "memory_gb": [40.0, 80.0]}
    gpu["specs"] = {"tdp_w": 400, "ecc": True, "fp64_tflops": None, "bus": "PCIe 4.0 x16"}
    found = dict(figures(gpu, Words("en")))
    assert found == {
        "memory": "40 / 80 GB",
        "power": "400 W",
        "ECC": "yes",
        "bus": "PCIe 4.0 x16",
        "machines": "x86_64",
    }


def test_headlines() -> None:
    """Those that few questions lead to."""
    answer: dict[str, Any] = {"verdict": "unknown", "gpus": [{"name": "Tesla T4"}], "stacks": [], "conflict": None}
    assert headline(answer, Words("en")) == "No stack can be named for Tesla T4"
    answer["conflict"] = {"constraints": [{"name": "python", "asked": "3.9"}, {"name": "gpu", "asked": "Tesla T4"}]}
    assert headline(answer, Words("en")) == "Nothing known fits all of this: Python 3.9, Tesla T4"
    assert headline({**answer, "verdict": "no"}, Words("zh")) == "这些条件互相冲突：Python 3.9, Tesla T4"


def test_a_drawing_fits_its_box() -> None:
    conflict = {
        "constraints": [
            {"name": "packages", "asked": "一个名字很长很长很长很长的包"},
            {"name": "gpu", "asked": "x" * 60},
        ],
        "causes": [{"rule": "library"}],
        "text": "They clash.",
    }
    found = drawing({"conflict": conflict, "gpus": []}, Form(), Words("en"))
    assert found is not None
    assert [layer.asked for layer in found.layers] == ["x" * 25 + "…", "一个名字很长很长很长很长…"]
    assert drawing({"conflict": {**conflict, "causes": []}, "gpus": []}, Form(), Words("en")) is None


def scenarios() -> list[dict[str, Any]]:
    """The questions of the resolver's scenarios whose answer brings fixes."""
    paths = sorted((Path(__file__).parents[1] / "scenarios").glob("*.toml"))
    cases = [case for path in paths for case in tomllib.loads(path.read_text(encoding="utf-8")).get("case", [])]
    return [case["ask"] for case in cases if "gpu" in case.get("ask", {})]


def test_every_fix_leads_to_an_answer(engine: Engine) -> None:
    """Asking again with a fix applied gives a yes, for all questions of the scenarios that the form can hold."""
    tried = 0
    for asked in scenarios():
        values = {
            name: ", ".join(value) if isinstance(value, list) else str(value)
            for name, value in asked.items()
            if name in ("gpu", "os", "machine", "driver", "python", "torch", "cuda", "packages", "prefer")
        }
        form = Form(values)
        try:
            answer = engine.resolve(form.question().asked())
        except ValueError:  # a question that cannot be judged has no fixes
            continue
        for fix in answer["fixes"]:
            for _, again in form.mended(fix, answer):
                verdict = engine.resolve(Form(again).question().asked())["verdict"]
                assert verdict == "yes", (values, fix["text"], again)
                tried += 1
    assert tried > 20


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    path=st.sampled_from(["/", "/check", "/matrix", "/gpus", "/ask", "/gpus/x", "/claims/x"]),
    values=st.dictionaries(
        st.sampled_from(
            ["gpu", "os", "driver", "torch", "cuda", "image", "q", "table", "from", "releases", "architecture"]
        ),
        st.one_of(st.text(max_size=30), st.sampled_from(["t4", "all", "drivers", "2.6.0", "570", "9" * 60, "sm_120"])),
        max_size=4,
    ),
    accept_language=st.text(st.characters(max_codepoint=126, min_codepoint=32), max_size=20),
)
def test_whatever_is_asked_gets_a_page(client: TestClient, path: str, values: Any, accept_language: str) -> None:
    headers = {**HTML, "accept-language": accept_language}
    response = client.get(path, params=values, headers=headers)
    assert response.status_code in (200, 404, 422), (path, values)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert Links(response.text).inline == []


def test_an_overlong_address_is_answered(client: TestClient) -> None:
    first = client.get("/?gpu=t4&utm=" + "x" * 2_000, headers=HTML)
    assert first.status_code == 200
    assert "works on Tesla T4" in text_of(first.text)


def test_suggestions(client: TestClient) -> None:
    def names(q: str, **more: int) -> list[str]:
        return [row["name"] for row in client.get("/gpus/suggested", params={"q": q, **more}).json()["gpus"]]

    assert names("rtx 5090")[0] == "GeForce RTX 5090"
    assert names("4090")[0] == "GeForce RTX 4090"
    assert len(names("rtx", limit=3)) == 3
    assert names("2b85") == ["GeForce RTX 5090"]
    assert names("...") == []
