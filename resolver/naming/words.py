"""The words around a model number: brands, makers of boards and of other chips, noise, English and Chinese.

Only spelling lives here. What a product is, and any spelling of one product that no rule reaches, is data
(`aliases` in `matrices/data/gpus`).
"""

from __future__ import annotations

__all__ = [
    "CHINESE",
    "CLASHES",
    "ERAS",
    "FOREIGN",
    "FOREIGN_PCI_VENDORS",
    "KINDS",
    "OURS",
    "PLACEHOLDERS",
    "RACKS",
    "SUFFIXES",
    "SYNONYMS",
    "VARIANTS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOISE = _words(
    "gpu gpus graphics graphic card cards video adapter accelerator accelerators controller compatible pci vga display"
    " device corporation corp inc integrated nvgpu tensor core cores cuda compute unit processor processors"
    " generation gen edition ed with design the a an my have has i im is are it its got use using used of on in for"
    " and one two dual quad single eight pcs piece pieces new name model product type rev lhr"
    " full version ver memory mem vram ram low profile lp green pcb founders founder fe oc gaming reference"
    " stock turbo blower shared developer devkit dev kit module som system supercomputer node"
    " instance cloud class colab kaggle autodl runpod vast hf spaces lambda"
)

# The brand, with its frequent misspellings.
_BRANDS = _words("nvidia nvida nvdia nvidea nividia nivida navidia nvidai nvidi nv")

# Makers of boards and computers, and the names of their lines.
_MAKERS = _words(
    "asus rog strix tuf proart phoenix msi suprim ventus gigabyte aorus gv windforce zotac trinity evga ftw ftw3 galax"
    " kfa2 colorful igame gainward palit gamerock jetstream pny xlr8 inno3d ichill maxsun manli leadtek winfast onda"
    " yeston biostar peladn ocpc dell alienware hp omen lenovo legion thinkpad thinkstation acer predator nitro razer"
    " blade supermicro sparkle afox arktek mechrevo hasee machenike"
)

# Words that turn a number into a range of products.
_VAGUE = _words("series family above below better newer older higher lower least 系列 系 以上 以下 级别 级")

# Words that say which line a model number belongs to.
_FAMILIES = _words(
    "geforce rtx gtx gts gt quadro tesla nvs grid cmp jetson tegra drive igx pro fx nforce quadroplex matrox eizo ion"
)

# Architecture words that people add or that are part of a name.
ERAS = {
    "rubin": "Rubin",
    "blackwell": "Blackwell",
    "hopper": "Hopper",
    "ada": "Ada Lovelace",
    "lovelace": "Ada Lovelace",
    "ampere": "Ampere",
    "turing": "Turing",
    "volta": "Volta",
    "pascal": "Pascal",
    "maxwell": "Maxwell",
    "kepler": "Kepler",
    "fermi": "Fermi",
}

KINDS: dict[str, str] = {
    **dict.fromkeys(_NOISE, "noise"),
    **dict.fromkeys(_BRANDS, "brand"),
    **dict.fromkeys(_MAKERS, "maker"),
    **dict.fromkeys(_VAGUE, "vague"),
    **dict.fromkeys(_FAMILIES, "family"),
    **dict.fromkeys(ERAS, "era"),
    **dict.fromkeys(("laptop", "maxq", "desktop"), "mobile"),
    "modified": "modified",
}

# Lines that, beside a known model number, mean a product with an NVIDIA chip.
OURS = _words("geforce rtx gtx quadro tesla grid nvs cmp jetson matrox eizo")

# Words that make another product of the same number; a name without them never means one with them.
VARIANTS = _words("ti super d v2 v3 tim boost")

# Letters written against or right after a number.
SUFFIXES = {
    "s": ("super",),
    "tis": ("ti", "super"),
    "tisuper": ("ti", "super"),
    "d": ("d",),
    "dd": ("d", "v2"),
    "tim": ("tim",),
    "a": ("a",),
}

SYNONYMS = {
    "laptops": "laptop",
    "notebook": "laptop",
    "mobile": "laptop",
    "mobility": "laptop",
    "supper": "super",
    "professional": "pro",
    "embeded": "embedded",
    "gforce": "geforce",
    "geforece": "geforce",
    "gefore": "geforce",
    "geforc": "geforce",
    "ws": "workstation",
    "modded": "modified",
}

# Racks and boards named after how many GPUs are linked: they do not change the product.
RACKS = _words("nvl2 nvl4 nvl8 nvl32 nvl36 nvl72 nvl144 nvl576")

# Chinese words and what they stand for; a word that says nothing becomes a blank.
CHINESE: dict[str, str] = {
    "英伟达": "nvidia",
    "辉达": "nvidia",
    "輝達": "nvidia",
    "老黄": "nvidia",
    "泰坦": "titan",
    "笔记本电脑": "laptop",
    "笔记本": "laptop",
    "筆電": "laptop",
    "移动版": "laptop",
    "移动端": "laptop",
    "移动": "laptop",
    "台式机": "desktop",
    "台式": "desktop",
    "桌面版": "desktop",
    "桌面端": "desktop",
    "影驰": "galax",
    "七彩虹": "colorful",
    "索泰": "zotac",
    "微星": "msi",
    "华硕": "asus",
    "技嘉": "gigabyte",
    "映众": "inno3d",
    "耕升": "gainward",
    "同德": "palit",
    "铭瑄": "maxsun",
    "万丽": "manli",
    "丽台": "leadtek",
    "盈通": "yeston",
    "昂达": "onda",
    "联想": "lenovo",
    "拯救者": "legion",
    "戴尔": "dell",
    "外星人": "alienware",
    "惠普": "hp",
    "宏碁": "acer",
    "雷蛇": "razer",
    "机械革命": "mechrevo",
    "神舟": "hasee",
    "魔改": "modified",
    "改装": "modified",
    "计算能力": "capability",
    "算力": "capability",
    **dict.fromkeys(
        _words(
            "显卡 顯卡 显示卡 独显 独立 专业卡 计算卡 加速卡 游戏卡 数据中心 显存 內存 内存 型号 名称 设备 核心 架构 亮机卡"
            " 洋垃圾 矿卡 二手 全新 公版 双 单卡 双卡 四卡 八卡 多卡 两张 两块 一张 一块 我的 我是 我用 用的 使用 机器 服务器"
            " 电脑 主机 一台 是 用 的 卡 有 版 张 块 台"
        ),
        "",
    ),
}

# Bare numbers that people also write for something of another maker or kind: alone they are only asked about.
# Radeon RX 460-590, Apple M4, Hygon K100, Ascend 310, driver branches.
CLASHES = _words("m4 k100 310 460 470 480 510 520 530 550 555 560 570 580 590 595 610")

# Adapters that stand for "no driver yet".
PLACEHOLDERS = r"microsoft basic|basic display|basic render|standard vga|vga graphics adapter|标准 ?vga|基本显示适配器"

_START, _END = r"(?<![a-z0-9])", r"(?![a-z0-9])"

# What other makers' products are called: label -> pattern on lower-case text.
FOREIGN = {
    "AMD": _START
    + r"(?:amd|ati|radeon|firepro|instinct|navi ?\d*|vega|rdna\d?|cdna\d?|rx ?-?\d{3,4}(?:xtx?|m|s|gre)?|mi ?\d{2,3}[axp]?"
    r"|gfx\d{3,4}[a-f]?|hd ?[4-8]\d{3}|r[579] ?\d{3}x?|w[5-9]\d00x?|(?:5[5-7]|6[4-9]|7[5-9]|90)\d0 ?(?:xtx?|gre)|v710"
    r"|nv\d+as_v4|g4ad|radv|rocm)" + _END,
    "Intel": _START
    + r"(?:intel|arc|iris|uhd|xe[- ]?hpg|gaudi ?\d?|habana|hl-?\d{3,4}|ponte vecchio|dl[12]q?|a[357][1-8]0m?|b5[78]0|b[56]0)"
    + _END,
    "Apple": _START + r"(?:apple|mps|m[1-6] (?:pro|max|ultra)|m[1235](?![-.]))" + _END,
    "Huawei Ascend": r"昇腾|华为|" + _START + r"(?:ascend|huawei|atlas ?\d{3}|910[abc]\d?|310p\d?)" + _END,
    "Cambricon": r"寒武纪|" + _START + r"(?:cambricon|mlu ?\d*)",
    "Moore Threads": r"摩尔线程|" + _START + r"(?:moore ?threads|mtt|musa)",
    "Biren": r"壁仞|" + _START + r"(?:biren|br1\d{2}[a-z]?)" + _END,
    "MetaX": r"沐曦|曦云|曦思|" + _START + r"metax",
    "Iluvatar": r"天数智芯|天数|" + _START + r"(?:iluvatar|corex|bi-v\d+|mr-v\d+)",
    "T-Head": r"平头哥|含光|" + _START + r"(?:t-head|ppu)" + _END,
    "Hygon": r"海光|" + _START + r"(?:hygon|dcu|z100l?)" + _END,
    "Kunlun": r"昆仑|" + _START + r"kunlun",
    "Enflame": r"燧原|" + _START + r"enflame",
    "Jingjia Micro": r"景嘉微|" + _START + r"jm[579]\d{3}",
    "Lisuan": r"砺算|" + _START + r"lisuan",
    "Google TPU": _START + r"(?:(?:cloud )?tpu|ct\d+[a-z]*-)",
    "AWS Neuron": _START + r"(?:(?:inf|trn)\d[a-z]*\.|inferentia\d?|trainium\d?|neuron)",
    "Groq": _START + r"(?:groq|lpu)" + _END,
    "Cerebras": _START + r"(?:cerebras|wse-?\d)" + _END,
    "Graphcore": _START + r"(?:graphcore|ipu)" + _END,
    "Qualcomm": _START + r"(?:qualcomm|adreno|snapdragon|cloud ai 100)",
    "Arm Mali": _START + r"(?:mali|immortalis)" + _END,
    "PowerVR": _START + r"powervr",
    "software renderer": _START + r"(?:llvmpipe|softpipe|swiftshader|lavapipe)",
    "virtual adapter": _START
    + r"(?:vmware|svga|virtualbox|vboxvga|vboxsvga|qxl|virtio|bochs|cirrus|hyper-v|parallels|remote display|parsec|todesk"
    r"|idd|virtual display|spice|xen)" + _END,
    "ASPEED": _START + r"(?:aspeed|ast2\d00)",
    "Matrox": _START + r"(?:matrox|mga g?\d+\w*)",
}

FOREIGN_PCI_VENDORS = {
    "1002": "AMD",
    "1022": "AMD",
    "8086": "Intel",
    "106b": "Apple",
    "19e5": "Huawei Ascend",
    "cabc": "Cambricon",
    "1ed5": "Moore Threads",
    "1a03": "ASPEED",
    "102b": "Matrox",
    "15ad": "virtual adapter",
    "1234": "virtual adapter",
    "1af4": "virtual adapter",
    "1b36": "virtual adapter",
    "80ee": "virtual adapter",
    "1414": "virtual adapter",
    "1013": "virtual adapter",
}
