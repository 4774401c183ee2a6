"""Lists of image tags: Docker Hub's interface (`nvidia/cuda`, `pytorch/pytorch`) and the registry of NGC."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from matrices.catalogue import Catalogue
from matrices.collect.door import Pages
from matrices.collect.rows import Parsed, Row, Unrecognised
from matrices.model import Image, ImageExists, OperatingSystem

__all__ = [
    "Tag",
    "collect_cuda",
    "collect_ngc",
    "collect_pytorch",
    "expected",
    "parse_hub",
    "parse_registry",
    "rows_of",
]

NGC = "nvcr.io/nvidia/pytorch"
_HUB = "https://hub.docker.com/v2/repositories"
_PAGES = 400  # of 100 tags: a list without an end is a fault, not a list
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_CUDA_TAG = re.compile(r"(\d+\.\d+\.\d+)-(?:(cudnn\d*)-)?(base|runtime|devel)-([a-z]+[\d.]*)")
_PYTORCH_TAG = re.compile(r"(\d+\.\d+\.\d+)-cuda(\d+\.\d+)-cudnn(\d+)-(?:runtime|devel)")
_NGC_TAG = re.compile(r"\d\d\.\d\d-py3")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of a list; `machines` is empty where the list does not say."""

    name: str
    machines: tuple[str, ...] = ()


@dataclass(slots=True)
class _Group:
    """New tags that share what is inside."""

    contains: dict[str, str]
    tags: list[Tag] = field(default_factory=list)


Shape = Callable[[str, Catalogue], tuple[str, dict[str, str]] | None]
"""From a tag to the image it belongs to and what the tag says is inside; None for a tag of another shape."""


def parse_hub(page: bytes) -> tuple[list[Tag], str | None]:
    """The tags on one page of Docker Hub and the address of the next page.

    Raises:
        Unrecognised: when the page is no list of tags.
    """
    try:
        listed = json.loads(page)
        tags = [_hub_tag(item) for item in listed["results"]]
        following = listed["next"]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unrecognised("Docker Hub: not a page of tags") from error
    return tags, following


def _hub_tag(item: dict[str, Any]) -> Tag:
    machines = {
        _MACHINES[image["architecture"]] for image in item.get("images", ()) if image["architecture"] in _MACHINES
    }
    return Tag(item["name"], tuple(sorted(machines, reverse=True)))


def parse_registry(page: bytes) -> list[Tag]:
    """The tags that a registry lists.

    Raises:
        Unrecognised: when the page is no list of tags, or an empty one.
    """
    try:
        names = [str(name) for name in json.loads(page)["tags"]]
    except (ValueError, TypeError, KeyError) as error:
        raise Unrecognised("registry: not a list of tags") from error
    if not names:
        raise Unrecognised("registry: the list of tags is empty")
    return [Tag(name) for name in names]


def collect_cuda(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Every tag of nvidia/cuda."""
    return rows_of("nvidia/cuda", "cuda", _hub(pages, "nvidia/cuda"), catalogue, _cuda_shape)


def collect_pytorch(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Every tag of pytorch/pytorch."""
    return rows_of("pytorch/pytorch", "pytorch", _hub(pages, "pytorch/pytorch"), catalogue, _pytorch_shape)


def collect_ngc(pages: Pages, catalogue: Catalogue) -> Parsed:
    """Every tag of nvcr.io/nvidia/pytorch; the registry gives an anonymous reader a token first."""
    answer = pages.page("ngc-token.json", "https://nvcr.io/proxy_auth?scope=repository:nvidia/pytorch:pull", {})
    try:
        token = json.loads(answer)["token"]
    except (ValueError, TypeError, KeyError):  # a saved list needs none
        token = ""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    page = pages.page("ngc-pytorch-tags.json", "https://nvcr.io/v2/nvidia/pytorch/tags/list", headers)
    return rows_of(NGC, "ngc", parse_registry(page), catalogue, _ngc_shape)


def _hub(pages: Pages, repository: str) -> list[Tag]:
    tags: list[Tag] = []
    url: str | None = f"{_HUB}/{repository}/tags?page_size=100&page=1"
    number = 1
    while url is not None:
        if number > _PAGES:
            raise Unrecognised(f"Docker Hub: more than {_PAGES} pages of tags of {repository}")
        found, url = parse_hub(pages.page(f"{repository.replace('/', '-')}-tags-{number}.json", url, {}))
        tags += found
        number += 1
    if not tags:
        raise Unrecognised(f"Docker Hub: no tags of {repository}")
    return tags


def rows_of(repository: str, role: str, tags: Iterable[Tag], catalogue: Catalogue, shape: Shape) -> Parsed:
    """Tags as rows: of an image that lists one, whether it exists; of images and tags that are new, what they say."""
    images = [image for image in catalogue.entities(Image).values() if image.repository == repository]
    known = {image.id for image in images}
    of_tag = {tag: image.id for image in images for tag in image.tags}
    seen: dict[str, list[Tag]] = {}
    new: dict[str, _Group] = {}
    others = 0
    for tag in tags:
        if tag.name in of_tag:
            seen.setdefault(of_tag[tag.name], []).append(tag)
        elif (shaped := shape(tag.name, catalogue)) is not None:
            name, contains = shaped
            group = new.setdefault(name, _Group({}))
            group.contains |= contains
            group.tags.append(tag)
        else:
            others += 1
    rows: list[Row] = []
    for image, found in seen.items():
        rows.append(Row("image", image, "image-exists", {"status": "exists"}, place=found[0].name))
    for image, group in new.items():
        names = [tag.name for tag in group.tags]
        values = {"repository": repository, "role": role, "tags": names}
        rows.append(Row("image", image, values=values, grows="tags", place=names[0]))
        if image not in known:
            machines = sorted({machine for tag in group.tags for machine in tag.machines}, reverse=True)
            exists = {"status": "exists", **({"machines": machines} if machines else {})}
            rows.append(Row("image", image, "image-exists", exists, place=names[0]))
            if group.contains:
                rows.append(Row("image", image, "image-contains", group.contains, place=names[0]))
    unmatched = [f"{others} tags of another shape"] if others else []
    return Parsed(tuple(rows), tuple(unmatched))


def _cuda_shape(tag: str, catalogue: Catalogue) -> tuple[str, dict[str, str]] | None:
    found = _CUDA_TAG.fullmatch(tag)
    if found is None:
        return None
    cuda, cudnn, _, suffix = found.groups()
    systems = catalogue.entities(OperatingSystem).values()
    os = next((system.id for system in systems if system.image_suffix == suffix), None)
    contains = {"cuda": cuda, **({"os": os} if os else {})}
    if cudnn and cudnn != "cudnn":
        contains["cudnn"] = cudnn.removeprefix("cudnn")
    return f"nvidia/cuda:{cuda}-{suffix}", contains


def _pytorch_shape(tag: str, catalogue: Catalogue) -> tuple[str, dict[str, str]] | None:
    found = _PYTORCH_TAG.fullmatch(tag)
    if found is None:
        return None
    torch, cuda, cudnn = found.groups()
    return f"pytorch/pytorch:{torch}-cuda{cuda}", {"torch": torch, "cuda": cuda, "cudnn": cudnn}


def _ngc_shape(tag: str, catalogue: Catalogue) -> tuple[str, dict[str, str]] | None:
    return (f"{NGC}:{tag}", {}) if _NGC_TAG.fullmatch(tag) else None


def expected(repository: str) -> Callable[[Catalogue, Parsed], list[str]]:
    """The images with tags of a repository that are held to exist."""

    def held(catalogue: Catalogue, parsed: Parsed) -> list[str]:
        tagged = {
            image.id for image in catalogue.entities(Image).values() if image.repository == repository and image.tags
        }
        claims = catalogue.claims(ImageExists)
        return [
            claim.id for claim in claims if claim.subject in tagged and claim.status == "exists" and "#" not in claim.id
        ]

    return held
