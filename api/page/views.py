"""All pages: for each address what its template is given."""

from __future__ import annotations

from api.page.base import Shown
from api.page.knowledge import KnowledgePages
from api.page.stacks import StackPages
from api.page.talk import TalkPages

__all__ = ["Pages", "Shown"]


class Pages(StackPages, KnowledgePages, TalkPages):
    """The pages over one set of answers."""
