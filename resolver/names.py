"""From what people write to products: names, PCI ids, lines of tools, cloud machine types, capabilities.

`Names.recognise` never guesses silently: a text is one product, several that it cannot tell apart, a product with
something corrected or ignored (`certain` is false), or unknown with proposals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from matrices.model import CloudInstance, Gpu
from matrices.versions import ComputeCapability
from resolver.naming import forms
from resolver.naming.index import Index
from resolver.naming.instances import Instances
from resolver.naming.nearest import Nearest
from resolver.naming.plain import PROPOSALS, PlainNames, products
from resolver.naming.recognition import BareCapability, NotNvidia, Products, Recognition, Unknown, common_name
from resolver.naming.text import LIMIT, clean, squash, translate
from resolver.naming.words import FOREIGN, FOREIGN_PCI_VENDORS, OURS, PLACEHOLDERS

__all__ = ["BareCapability", "Names", "NotNvidia", "Products", "Recognition", "Unknown", "common_name"]

_FOREIGN = re.compile("|".join(f"(?P<_{index}>{pattern})" for index, pattern in enumerate(FOREIGN.values())))
_FOREIGN_LABELS = {f"_{index}": label for index, label in enumerate(FOREIGN)}
_FOREIGN_VENDORS = frozenset(FOREIGN_PCI_VENDORS)
_PLACEHOLDER = re.compile(PLACEHOLDERS)


class Names:
    """Recognises GPU names.

    Args:
        gpus: all products by id.
        capability_of: the compute capability by product id.
        instances: cloud machine types by id.
    """

    def __init__(
        self,
        gpus: Mapping[str, Gpu],
        capability_of: Mapping[str, ComputeCapability],
        instances: Mapping[str, CloudInstance],
    ) -> None:
        self._index = Index(gpus, capability_of)
        self._plain = PlainNames(self._index)
        self._instances = Instances(instances, gpus)
        self._nearest = Nearest(gpus.values())
        self._capabilities = frozenset(capability_of.values())

    def recognise(self, text: str) -> Recognition:
        """What a text names; the same text always gives the same answer."""
        text = text.strip()
        if not text or len(text) > LIMIT:
            return Unknown()
        printed = self._index.printed.get(text)
        if printed is not None:
            return products(printed, "driver-name")
        cut = self._cut_off(text)
        if cut is not None:
            return cut
        cleaned = clean(text)
        if len(cleaned) > LIMIT:  # one character may stand for many
            return Unknown()
        rented = self._instances.exactly(cleaned)
        if rented:
            return Products(rented, True, "instance", cleaned)
        whole = self._index.whole.get(squash(cleaned)) if cleaned.isascii() else None  # squash drops other letters
        if whole is not None:
            return self._plain.by_name(whole, "name")
        return self._inside(text) or self._listed(cleaned) or self._described(cleaned)

    def _cut_off(self, text: str) -> Products | None:
        """What a name is whose end a tool cut off (`GeForce RTX 208...`): every product that is printed so and goes on, where
        they do not differ in capability; None where they do, or where nothing was cut."""
        start = text.rstrip(".… ").casefold()
        if not text.endswith(("...", "…")) or not any(map(str.isdigit, start)):
            return None
        found = {
            gpu.id: gpu
            for printed, gpus in self._index.printed.items()
            if printed.casefold().startswith((start, f"nvidia {start}"))
            for gpu in gpus
        }
        same = len(self._index.capabilities(found.values())) == 1
        return products(tuple(found.values()), "cut-off") if same else None

    # --- texts of tools and lists ---------------------------------------------------------------------------------

    def _inside(self, text: str) -> Recognition | None:
        """The name inside a line of `nvidia-smi` or a label."""
        name = forms.inner_name(text)
        return None if name is None or name == text else self.recognise(name)

    def _listed(self, text: str) -> Recognition | None:
        """A machine type, a PCI id, a bare capability, a placeholder."""
        rented = self._instances.of_family(text)
        if rented:
            return Products(rented, True, "instance", text)
        pci_id = forms.pci_id_in(text, _FOREIGN_VENDORS)
        if pci_id is not None and pci_id.vendor in FOREIGN_PCI_VENDORS:
            return NotNvidia(FOREIGN_PCI_VENDORS[pci_id.vendor])
        if pci_id is not None and pci_id.device in self._index.by_pci_id:
            gpus = self._index.by_pci_id[pci_id.device]
            named = self._lspci(text)
            return products(gpus, "pci-id", named is None or any(gpu in gpus for gpu in named.gpus))
        capability = forms.bare_capability(text)
        if capability is not None and capability in self._capabilities:
            return BareCapability(capability)
        return Unknown() if _PLACEHOLDER.search(text) else None

    # --- descriptions ---------------------------------------------------------------------------------------------

    def _described(self, text: str) -> Recognition:
        text = translate(text)
        foreign = _FOREIGN.search(text)
        if foreign is not None:
            return self._foreign(text, _FOREIGN_LABELS[foreign.lastgroup or ""])
        return (
            self._share_of_gpu(text)
            or self._lspci(text)
            or self._with_capability(text)
            or self._plain.recognise(text)
            or self._plain.misspelt(text)
            or Unknown(self._nearest.proposals(text, PROPOSALS))
        )

    def _foreign(self, text: str, label: str) -> Recognition:
        """Another maker's product, unless one of ours is named beside it: then it is asked about."""
        phrase = self._plain.phrase(text)
        ours = "brand" in phrase.said or any(part.families & OURS for part in phrase.named)
        if phrase.named and ours:
            return self._plain.unknown(phrase)
        return NotNvidia(label)

    def _share_of_gpu(self, text: str) -> Recognition | None:
        """A MIG instance or a vGPU profile: the board it is a share of."""
        mig = forms.mig_in(text)
        if mig is not None:
            profile, board = mig
            if not board:
                gpus = self._index.whole.get(squash(f"mig {profile}"))
                return products(gpus, "mig") if gpus else Unknown()
            found = self.recognise(board)
            return replace(found, how="mig") if isinstance(found, Products) else found
        board_of_vgpu = forms.without_vgpu_profile(text)
        shared = self._plain.recognise(board_of_vgpu) if board_of_vgpu is not None else None
        return replace(shared, how="vgpu") if isinstance(shared, Products) and shared.certain else None

    def _lspci(self, text: str) -> Products | None:
        """A line of lspci: the name in its brackets, on the chip before them."""
        line = forms.lspci_in(text)
        if line is None:
            return None
        chip = self._index.vocabulary.chips.get(line.chip)
        whole = self._index.whole.get(squash(line.name), ())
        gpus, certain = [gpu for gpu in whole if chip in gpu.chip.split("/")], True
        if not gpus:
            gpus, certain = self._plain.alternatives(line.name, chip)
        built_in = [gpu for gpu in gpus if ("laptop" in gpu.family) == line.chip.endswith("m")]
        return products(built_in or gpus, "lspci", certain) if gpus else None

    def _with_capability(self, text: str) -> Recognition | None:
        """A capability with its word, alone or beside a product that has it."""
        capability = forms.capability_in(text)
        if capability is None:
            return None
        rest = forms.without_capability(text)
        if not any(map(str.isdigit, rest)):
            return BareCapability(capability)
        found = self.recognise(rest)
        if not isinstance(found, Products):
            return found
        agreeing = [gpu for gpu in found.gpus if self._index.capability_of.get(gpu.id) == capability]
        return replace(found, gpus=tuple(agreeing)) if agreeing else Unknown(found.gpus[:PROPOSALS])
