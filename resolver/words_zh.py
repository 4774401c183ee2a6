"""The same sentences in Chinese: one template for every kind of `resolver.words`, and the words that values bring along."""

from __future__ import annotations

__all__ = ["TEMPLATES_ZH", "value_zh"]

TEMPLATES_ZH: dict[str, str] = {
    "capability": "{gpu} 的计算能力是 {capability}。",
    "capability-asked": "问的是计算能力 {capability}。",
    "drives": "驱动 {driver} 支持 {gpu}。",
    "drives-from": "驱动 {driver} 从 {added} 起支持 {gpu}。",
    "drives-unknown": "不确定驱动 {driver} 是否支持 {gpu}（计算能力 {capability}）。",
    "dropped": "驱动 {driver} 已不再支持 {gpu}：最后支持它的分支是 R{last}。",
    "too-old-for-gpu": "驱动 {driver} 对 {gpu} 来说太旧，至少需要 {added}。",
    "module": "{gpu} 可以使用 R{branch} 的{flavour}。",
    "module-none": "{gpu} 需要 {needed} 内核模块，而 R{branch} 不提供。",
    "module-unknown": "不清楚 {gpu} 在 R{branch} 下需要哪种内核模块。",
    "module-apart": "{first} 需要 {first_module} 内核模块，{second} 需要 {second_module}：两者不能装在同一台 Linux 主机上，但可以共用同一套软件。",
    "runs-native": "驱动 {driver} 原生支持 CUDA {cuda}（驱动自身的 CUDA 是 {native}）。",
    "runs-native-from": "驱动 {driver} 从 {floor} 起原生支持 CUDA {cuda}（驱动自身的 CUDA 是 {native}）。",
    "runs-minor": "驱动 {driver} 通过次版本兼容(minor-version compatibility)运行 CUDA {cuda}（从 {floor} 起）。",
    "runs-unknown": "不确定驱动 {driver} 能否运行 CUDA {cuda}。",
    "driver-too-old": "驱动 {driver} 对 CUDA {cuda} 来说太旧，至少需要 {floor}。",
    "kernels-sass": "torch {torch} 含有 {target} 的机器码，可以在 {gpu}（{capability}）上运行。",
    "kernels-ptx": "torch {torch} 含有 {target} 的 PTX，驱动会在首次启动时为 {gpu}（{capability}）编译。",
    "kernels-ptx-not-here": "torch {torch} 对 {gpu} 只有 CUDA {cuda} 的 PTX，而驱动比这个 CUDA 旧，无法编译。",
    "kernels-ptx-perhaps": "torch {torch} 对 {gpu} 只有 CUDA {cuda} 的 PTX，不确定驱动是否不低于这个 CUDA。",
    "kernels-none": "torch {torch} 没有 {gpu}（{capability}）的代码：它含有 {sass}，也没有合适的 PTX。",
    "kernels-unknown": "不确定 torch {torch} 是否含有 {gpu}（{capability}）的代码。",
    "library": "torch {torch} 不支持 {gpu}（{capability}）：{package} {versions} 只适用于 {supported}。",
    "library-lacks-code": "torch {torch} 里的 {library} 库没有 {gpu}（{capability}）的代码：调用它可能会失败。",
    "published": "torch {torch} 发布了 {os}（{machine}）的版本。",
    "published-unknown": "不能确定 torch {torch} 是否发布过 {os}（{machine}）的版本：{doubt}。",
    "cuda-not": "torch {torch} 用 CUDA {has} 构建，而要求的是 `{cuda}`。",
    "python": "torch {torch} 有 Python {has} 的 wheel。",
    "python-unknown": "尚不清楚 torch {torch} 为哪些 Python 版本提供 wheel。",
    "python-not": "torch {torch} 没有 Python {python} 的 wheel，只有 {has}。",
    "glibc": "{os} 的 glibc 是 {has}，torch {torch} 需要 {needs}。",
    "glibc-unknown": "不清楚 {os} 的 glibc 版本；torch {torch} 需要 {needs}。",
    "glibc-old": "{os} 的 glibc 是 {has}，低于 torch {torch} 需要的 {needs}。",
    "platform-not": "torch {torch} 没有 {os}（{machine}）的版本，只有 {has}。",
    "machine-not": "{gpu} 只装在 {machines} 机器里，不在 {machine} 机器里。",
    "os-takes": "{os} 支持 {gpu}（{capability}），使用的是 Windows 的驱动。",
    "os-needs-newer-gpu": "{os} 需要计算能力 {minimum} 以上，而 {gpu} 是 {capability}。",
    "os-needs-newer-driver": "{os} 需要 R{branch} 分支以上的 Windows 驱动。",
    "companion-not": "torch {torch} 对应的是 {package} {has}，不是 {wanted}。",
    "companion-unknown": "不清楚哪个 {package} 与 torch {torch} 对应。",
    "companion": "torch {torch} 对应 {package} {has}。",
    "targets": "CUDA {cuda} 的编译器可以为 {gpu}（{capability}）生成代码。",
    "targets-not": "CUDA {cuda} 的编译器不能为 {gpu}（{capability}）生成代码。",
    "targets-unknown": "不清楚 CUDA {cuda} 的编译器支持哪些 GPU。",
    "tegra": "{gpu} 是 Tegra 芯片：它的 CUDA 和 torch 随 JetPack 提供，不能用服务器和台式机的 wheel。",
    "nothing-fits": "没有哪个版本能同时满足 {wanted}。",
    "no-wheel": "没有找到合适的 torch {torch}。",
    "newer-than-data": "`{given}` 比本数据收录的还新（收录到 {newest}）。",
    "open-variants": "不清楚 torch {torch} 是否发布过 {os}（{machine}）的 {variants}。",
    "package-unjudged": "本数据还不能判断 `{package}`。",
    "image": "镜像 `{image}` 存在，内含 CUDA {cuda}。",
    "image-never": "镜像标签 `{image}` 从未存在过：{why}。",
    "image-removed": "镜像 `{image}` 已被删除。",
    "image-unknown": "不清楚镜像 `{image}` 是否存在。",
    "image-takes": "镜像 `{image}` 支持计算能力 {minimum} 以上的 GPU；{gpu} 是 {capability}。",
    "image-too-new": "镜像 `{image}` 需要计算能力 {minimum}，而 {gpu} 是 {capability}。",
    "image-digest": "`{image}` 用摘要（digest）固定，这里不知道那是什么内容。",
    "image-holds": "镜像 `{image}` 内含 {what} {has}。",
    "image-holds-not": "镜像 `{image}` 内含 {what} {has}，不是 {wanted}。",
    "no-driver-for-both": "没有一个驱动既支持 {gpu} 又能运行 CUDA {cuda}。",
    "image-machine": "镜像 `{image}` 是为 {machines} 构建的，不是 {machine}。",
    "image-gpus-unknown": "不清楚 `{image}` 里的程序是否含有 {gpu}（{capability}）的代码。",
    "gate-open": "驱动 {driver}（CUDA {native}）满足镜像对驱动的要求：CUDA {cuda}。",
    "gate-branch": "镜像要求 CUDA {cuda}，或者对 {gpu} 这类 GPU 放行驱动分支 {driver}。",
    "gate-shut": "镜像要求驱动支持 CUDA {cuda}，而 {driver} 是 {native}。检查 NVIDIA_REQUIRE_CUDA 的容器运行时会拒绝为 {gpu} 启动它"
    "（`NVIDIA_DISABLE_REQUIRE=1` 可以关闭检查）；使用 CDI 的运行时不检查。",
    "forward": "驱动 {driver} 本身对 CUDA {cuda} 来说太旧；如果容器运行时挂载镜像里的 cuda-compat 库，{gpu} 也许可以运行。",
    "newer": "`{given}` 比本数据收录的还新（收录到 {newest}）。",
    "unlisted-yet": "{gpu} 最早出现在驱动 {listed} 自带的列表里；不确定 {driver} 是否认识它。",
    "end-of-life": "驱动分支 R{branch} 已停止支持：{until}。",
    "several-products": "`{asked}` 可能是 {names}；它们的计算能力都是 {capability}，所以答案相同。",
    "read-as": "`{asked}` 被理解为 {name}。",
    "default-variant": "在 {os} 上从软件包索引执行 `pip install torch=={version}` 得到的是不带 CUDA 的版本。",
    "variant-taken": "没有指明 CUDA 变体；这里判断的是 {torch}（{how}）。",
    "newer-perhaps": "更新的版本也许也可以，但不能确定：torch {labels}。",
    "jetpack-brings": "JetPack {jetpack}（L4T {l4t}）为它提供 CUDA {cuda}。",
    "fix-torch": "使用 torch {torch}：`{command}`",
    "fix-python": "使用 Python {python}（torch {torch} 有 Python {has} 的 wheel）",
    "fix-machine": "换用 {machine} 的机器",
    "fix-glibc": "使用 glibc {glibc} 以上的系统",
    "fix-os": "使用 {os}",
    "fix-gpu": "去掉 {gpu}：其余的 {rest} 可以用 torch {torch}",
    "fix-driver-known": "使用驱动分支 R{branch}：比 R{newest} 更新的驱动这里还不了解",
    "fix-driver-back": "退回到驱动分支 R{branch}，它是最后支持这块 GPU 的分支",
    "fix-driver": "安装 {minimum} 或更新的驱动；推荐 R{branch} 分支",
    "fix-driver-limit": "安装 {minimum} 或更新的驱动，但不要超过 R{last}；推荐 R{branch} 分支",
    "fix-split": "分成 {count} 套环境：{parts}",
    "not-certain": "{text}（不能确定：{doubt}）。",
}

_VALUES = {
    "the open kernel modules": "开放内核模块",
    "the proprietary kernel modules": "专有内核模块",
    "no kernel module": "内核模块(无)",
    "either flavour of the kernel modules": "任意一种内核模块",
    "the package index serves": "软件包索引提供的就是它",
    "the pytorch index serves": "PyTorch 索引提供的就是它",
    "the pytorch lts serves": "PyTorch LTS 索引提供的就是它",
    "these builds": "这些版本",
}
_PARTS = (
    (" and newer", " 及以上"),
    (" and others", " 等"),
    (" or others", " 等"),
    (" to ", " 到 "),
    (" or ", " 或 "),
    ("compute capability ", "计算能力 "),
    ("driver branch ", "驱动分支 "),
)


def value_zh(value: object) -> object:
    """A value as it stands in a Chinese sentence: names and numbers as they are, the few English words put into Chinese."""
    if not isinstance(value, str):
        return value
    if value in _VALUES:
        return _VALUES[value]
    for english, chinese in _PARTS:
        value = value.replace(english, chinese)
    return value
