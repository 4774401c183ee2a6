"""Reading as a whole: the interface, the language, the limits, and that nothing makes it fail or slow."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assistant.reading
from assistant.reading import KINDS, CudaError, Memory, Package, Process, Reading, TorchBuild, Variable, Xid, read
from assistant.reading.document import ENOUGH, Document
from matrices.versions import ArchTarget, CudaVersion, TorchVersion
from resolver.engine import Engine

# --- interface ------------------------------------------------------------------------------------------------------


def test_facts_come_in_order_and_by_kind(engine: Engine) -> None:
    reading = read("it's a 3090\r\n\r\nno, it is a 3080, driver 535", engine.names)
    assert [(fact.line, fact.kind) for fact in reading.facts] == [(0, "gpu"), (2, "gpu"), (2, "driver")]
    first = reading.first("gpu")
    assert first is not None
    assert first.quote == "it's a 3090"
    assert first.source == "free text"
    assert len(reading.all("gpu")) == 2
    assert reading.has("driver")
    assert not reading.has("torch")
    assert reading.first("torch") is None
    assert reading.all("torch") == ()
    assert reading.lines == ("it's a 3090", "", "no, it is a 3080, driver 535")


def test_the_text_is_normalised_and_the_lines_are_not(engine: Engine) -> None:
    reading = read("\x1b[31mＧＰＵ：GeForce® RTX\u200b ３０９０\x1b[0m\nİ 驱动５３５", engine.names)
    assert reading.text == "GPU:GeForce  RTX 3090\nI 驱动535"
    assert reading.lines[0].startswith("\x1b[31mＧＰＵ")
    assert [fact.kind for fact in reading.facts] == ["gpu", "driver"]
    assert reading.facts[0].quote == reading.lines[0].strip()


def test_nothing_is_read_from_nothing(engine: Engine) -> None:
    assert read("", engine.names) == Reading("", (), (), "en")
    assert read("\n \n", engine.names).facts == ()


def test_exported_names_are_the_public_ones() -> None:
    assert set(assistant.reading.__all__) == {
        "KINDS", "CudaError", "Fact", "Memory", "Package", "Process", "Reading", "TorchBuild", "Variable", "Xid", "read",
    }  # fmt: skip


def test_values_print_as_people_write_them() -> None:
    assert str(TorchBuild("2.6.0", "cu124")) == "2.6.0+cu124"
    assert str(TorchBuild("2.6")) == "2.6"
    assert str(Xid(79)) == "Xid 79"
    assert str(CudaError(35, None)) == "35"
    assert str(Package("numpy", "1.26.4")) == "numpy 1.26.4"
    assert str(Variable("CUDA_HOME", "/opt")) == "CUDA_HOME=/opt"
    assert str(Process(1, "python", 10)) == "python (1): 10 MiB"
    assert str(Memory(tried=20.0, free=0.5)) == "tried=20 free=0.5"


@pytest.mark.parametrize(
    ("build", "release", "cuda", "without"),
    [
        (TorchBuild("2.6.0", "cu124"), TorchVersion(2, 6, 0), CudaVersion(12, 4), False),
        (TorchBuild("1.8.0", "cu92"), TorchVersion(1, 8, 0), CudaVersion(9, 2), False),
        (TorchBuild("2.0.0", "cu117.with.pypi.cudnn"), TorchVersion(2, 0, 0), CudaVersion(11, 7), False),
        (TorchBuild("2.6"), None, None, False),
        (TorchBuild("2.8.0.dev20250319", "cu128"), None, CudaVersion(12, 8), False),
        (TorchBuild("2.6.0", "cpu"), TorchVersion(2, 6, 0), None, True),
        (TorchBuild("2.6.0", "rocm6.2"), TorchVersion(2, 6, 0), None, True),
    ],
)
def test_a_torch_build_knows_its_release_and_cuda(
    build: TorchBuild, release: TorchVersion | None, cuda: CudaVersion | None, without: bool
) -> None:
    assert (build.release, build.cuda, build.without_cuda) == (release, cuda, without)


def test_an_xid_carries_its_process(engine: Engine) -> None:
    line = "NVRM: Xid (PCI:0000:9b:00): 31, pid=4021, name=python3, Ch 00000008"
    fact = read(line, engine.names).first("xid")
    assert fact is not None
    assert fact.value == Xid(31, 4021, "python3", "0000:9b:00")
    fact = read("NVRM: Xid (PCI:0000:06:00): 79, pid='<unknown>', name=<unknown>, GPU", engine.names).first("xid")
    assert fact is not None
    assert fact.value == Xid(79, None, None, "0000:06:00")


def test_an_arch_list_is_typed(engine: Engine) -> None:
    fact = read("supports CUDA capabilities sm_50 sm_90a compute_90", engine.names).first("arch-list")
    assert fact is not None
    assert fact.value == (ArchTarget.parse("sm_50"), ArchTarget.parse("sm_90a"))


# --- language -------------------------------------------------------------------------------------------------------

LOG = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (LOG, "en"),
        (f"怎么办\n{LOG}\n{LOG}\n{LOG}", "zh"),
        (f"What should I do?\n{LOG}", "en"),
        ("win10 跑 MiniGPT-4 报 CUDA Setup failed despite GPU being available.", "zh"),
        ("I get this error when I load the file 模型.safetensors and it is not clear why", "en"),
        ("I have the error in C:\\用户\\张三\\x.py on my PC", "en"),
        ('the log says "显存不足" and I do not know why this is so', "en"),
        ("OSError: [WinError 1455] 页面文件太小，无法完成操作。", "zh"),
        ("OSError: [WinError 1455] 页面文件太小。\nwhat does this mean for my card?", "en"),
        ("GPUが認識されません、どうすればいいですか 設定", "en"),
        ("그래픽 카드가 안 됩니다", "en"),
        ("naïve café", "en"),
    ],
)
def test_language(engine: Engine, text: str, language: str) -> None:
    assert read(text, engine.names).language == language


# --- limits ---------------------------------------------------------------------------------------------------------


def test_of_a_kind_there_are_not_too_many(engine: Engine) -> None:
    text = "\n".join(f"NVRM: Xid (PCI:0000:{number:02x}:00): {number}, x" for number in range(1, 200))
    assert len(read(text, engine.names).all("xid")) == 50
    same = "\n".join(f"{number}: GeForce RTX 3090" for number in range(100))
    assert len(read(same + "\nGeForce GTX 1080", engine.names).all("gpu")) == 17


def test_a_line_is_read_once(engine: Engine) -> None:
    assert len(read("GeForce RTX 3090\n" * 9, engine.names).facts) == 1


def test_of_a_long_line_the_part_around_the_fact_is_quoted(engine: Engine) -> None:
    reading = read("x" * 1500 + " driver 535 " + "y" * 5000 + " and GeForce RTX 3090 " + "z" * 3000, engine.names)
    assert {fact.kind for fact in reading.facts} == {"driver", "gpu"}
    assert all(len(fact.quote) <= 200 and fact.quote in reading.lines[0] for fact in reading.facts)
    assert "3090" in reading.all("gpu")[0].quote
    wide = read("ﬁ" * 900 + " driver 535", engine.names)
    assert wide.facts[0].quote == "ﬁ" * 200


def test_in_a_long_text_both_ends_and_what_speaks_of_gpus_are_read(engine: Engine) -> None:
    noise = "\n".join(f"{number} something else happened in the meantime" for number in range(9000))
    text = f"it's a 3090\n{noise}\nNVRM: Xid (PCI:0000:01:00): 79, GPU has fallen\n{noise}\nno, a 3080"
    assert len(text) > ENOUGH
    assert [fact.kind for fact in read(text, engine.names).facts] == ["gpu", "xid", "gpu"]
    crowded = "\n".join(f"GPU {number}: {'x' * 900}" for number in range(2000))
    both = read(f"it's a 3090\n{crowded}\nno, a 3080", engine.names).all("gpu")
    assert [fact.line for fact in both] == [0, 2001]
    unbroken = " ".join(["nothing"] * 60_000)
    assert read(unbroken + " GeForce RTX 3090", engine.names).has("gpu")


def test_of_many_lines_with_a_word_the_first_and_last_are_read(engine: Engine) -> None:
    document = Document("\n".join(f"cuda {number}" for number in range(5000)))
    lines = document.having(("cuda",))
    assert len(lines) == 1333
    assert (lines[0].text, lines[-1].text) == ("cuda 0", "cuda 4999")
    close = Document("\n".join(f"cuda {number}" for number in range(1100))).having(("cuda",))
    assert len(close) == 1100


def test_names_that_are_none_are_not_looked_up_for_ever(engine: Engine) -> None:
    text = "\n".join(f"GeForce RTX {number}1" for number in range(700, 730)) + "\nGeForce RTX 3090"
    assert read(text, engine.names).facts == ()


# --- robustness -----------------------------------------------------------------------------------------------------

WORDS = (
    "nvidia-smi driver version: 535.104.05 cuda 12.4 cuda version torch 2.6.0+cu124 sm_ compute_120 xid (pci:0000:01:00): 79"
    " geforce rtx 3090 | 0000 0: gpu 0: device 0: mib | err! --query-gpu=name,driver_version name, driver_version [10de:2204] vga"
    " compatible controller nvidia corporation kernel module modinfo dkms nvcc release python 3.10 docker run image: from ubuntu"
    " windows nvlddmkm event id code 43 error error 804: cudaerror nccl nvml_error_ tried to allocate out of memory capability"
    " is_available() torch.__version__ name: torch version_id= id=ubuntu nvidia.com/gpu.product= .major= minor 驱动 显卡是4090 算力 8.6"
    " which supports hardware cc ii nvidia-driver-535 ( ) [ ] ' \" = : , . ; - _ / \\ é İ ß ﬁ ％ \u2028 \x1b[1m \ud800"
).split(" ")
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from([*WORDS, "\n", "  "]), max_size=60).map(" ".join),
    st.lists(st.sampled_from([*WORDS, "\n"]), max_size=60).map("".join),
)


@settings(max_examples=300)
@given(text=TEXTS)
def test_never_fails_and_quotes_the_text(engine: Engine, text: str) -> None:
    reading = read(text, engine.names)
    assert reading == read(text, engine.names)
    assert reading.lines == tuple(text.splitlines())
    for fact in reading.facts:
        assert isinstance(fact.value, KINDS[fact.kind])
        assert fact.quote == reading.lines[fact.line].strip() or len(fact.quote) <= 200
        assert fact.quote in reading.lines[fact.line]
    assert [fact.line for fact in reading.facts] == sorted(fact.line for fact in reading.facts)


FEEDS = (
    "rtx ", "a100 ", "3090 ", "driver ", "cuda ", "1.", "- ", "sm_50 ", "xid ", "nvidia-smi ", "(", "\\", "是", "torch ", "capability ",
    "requires ", "docker run -v ", "image: a/", "nvidia/", "| 0000", "error ", "cuda error ", "nccl ", "tried to allocate ", "gcc (",
    "[pip3] torch", "release ", "\n", " \n", "gpu 0: x\n", "name, driver_version\n", ":\\", "[", "ubuntu ", "win", "=\"", "cuda_home=", "x, ",
)  # fmt: skip


@pytest.mark.parametrize("feed", FEEDS)
def test_no_repetition_is_catastrophic(engine: Engine, feed: str) -> None:
    began = time.process_time()
    read(feed * (200_000 // len(feed)), engine.names)
    assert time.process_time() - began < 2


def test_a_megabyte_takes_no_more_than_a_moment(engine: Engine) -> None:
    lines = (
        f"2024-03-01 12:00:{number % 60:02d} node[{number}]: nvidia driver cuda torch 0x{number:08x}"
        for number in range(17000)
    )
    text = "\n".join(lines)
    assert len(text) > 1_000_000
    began = time.process_time()
    read(text, engine.names)
    assert time.process_time() - began < 1
