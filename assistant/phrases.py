"""The assistant's own words, in both languages; everything particular stands in the symptom files."""

from __future__ import annotations

from assistant.symptom import Text

__all__ = ["PHRASES"]

PHRASES: dict[str, Text] = {
    "cause": Text("Cause", "原因"),
    "proof": Text("What shows it", "依据"),
    "fix": Text("Fix", "解决办法"),
    "verify": Text("Check that it is cured", "如何确认修好了"),
    "wrong": Text("Often advised, but wrong here", "常见但不对的建议"),
    "sources": Text("Sources", "参考"),
    "likely": Text("This is likely, not certain.", "这是很可能的原因，但不能完全确定。"),
    "for_yours": Text("For {gpu}", "适用于 {gpu}"),
    "stack": Text(
        "torch {torch}, driver {driver} or newer{limit} (branch {branch} is recommended), {kernels}.",
        "torch {torch}，驱动 {driver} 或更新{limit}（推荐 {branch} 分支），{kernels}。",
    ),
    "limit": Text(", not newer than branch {last}", "，但不要超过 {last} 分支"),
    "sass": Text("with machine code for the card", "自带这块卡的机器码"),
    "ptx": Text("as PTX, compiled at the first start", "以 PTX 形式，首次启动时编译"),
    "no_stack": Text("No stack is known that fits what you wrote: {why}", "按你写的条件没有已知可用的组合：{why}"),
    "unknown_stack": Text("It is not certain that anything fits: {why}", "没有能确定可用的组合：{why}"),
    "also": Text(
        "Also seen in the text, and probably a consequence: {titles}.", "文中还有这些，多半是它的后果：{titles}。"
    ),
    "nearest": Text(
        "I cannot tell the cause from this. The nearest I know of:", "光凭这些还判断不出原因。我知道的最接近的几种："
    ),
    "nothing": Text(
        "I do not know this one. Paste the full error text, with the GPU, the driver (`nvidia-smi`) and the torch version.",
        "这个问题我不认识。请贴出完整的报错，并带上显卡型号、驱动版本（`nvidia-smi`）和 torch 版本。",
    ),
    "run": Text("Run this and paste what it prints:", "运行下面的命令并贴出结果："),
    "empty": Text(
        "Name a GPU, or paste an error text: I tell which driver, CUDA and PyTorch fit, and what broke.",
        "告诉我显卡型号，或者贴一段报错：我会说明该用哪个驱动、CUDA 和 PyTorch，以及是哪里出了问题。",
    ),
    "no_release": Text("No such release is known: {packages}.", "没有已知的这个版本：{packages}。"),
    "other_cuda": Text(
        "CUDA {cuda} was taken for that of torch: {package} {version} is built for CUDA {has}.",
        "CUDA {cuda} 按 torch 的来算：{package} {version} 是用 CUDA {has} 构建的。",
    ),
    "package": Text("{package} {version}, built for CUDA {cuda}", "{package} {version}，用 CUDA {cuda} 构建"),
    "package_plain": Text("{package} {version}", "{package} {version}"),
    "which_gpu": Text("Which GPU is it? (`nvidia-smi -L` prints it)", "是哪一块显卡？（`nvidia-smi -L` 会显示）"),
    "yes": Text("Yes.", "可以。"),
    "no": Text("No.", "不行。"),
    "unknown": Text("That is not known.", "这一点目前没有可靠依据。"),
    "would_work": Text("What would work", "可行的做法"),
    "jetpack": Text("Take what its JetPack brings", "请使用对应 JetPack 自带的版本"),
}
