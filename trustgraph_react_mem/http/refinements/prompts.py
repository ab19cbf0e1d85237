"""The prompts of a step: those of the companion and the phase, which a workspace may replace (``prompt/template.refine-...``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...extras import PROMPTS, require
from ...processors.operations.prompt_templates import WorkspacePrompts
from ...refine.machine import newest_text
from ...refine.records import COMPANION_TYPES, PHASES, CompanionType, Phase, Session, Slot
from ...refine.views import critique_window
from ..access import Access

_TAG = re.compile(r"<(?=\s{0,4}/?\s{0,4}(?:question|drafts?|critique|human|ai)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    system: str
    user: str


class Templates:
    """The templates of refinement in one workspace."""

    def __init__(self, configured: Mapping[str, str]) -> None:
        """Raises: MissingPackage."""
        require("refinement", *PROMPTS)
        self._prompts = WorkspacePrompts(configured)

    @classmethod
    async def load(cls, access: Access) -> "Templates":
        return cls(await access.services.config_get("prompt"))

    @property
    def protocol(self) -> str:
        return self._prompts.prompt("refine-protocol").render({})

    def system(self, companion: CompanionType) -> str:
        return self._prompts.prompt(companion_prompt(companion)).render({"protocol": self.protocol})

    def user(self, phase: Phase, terms: Mapping[str, Any]) -> str:
        return self._prompts.prompt(phase_prompt(phase)).render(terms)

    def source(self, name: str) -> str:
        """The template with its variables."""
        return self._prompts.source(name)


def companion_prompt(companion: CompanionType) -> str:
    return f"refine-companion-{companion.replace('_', '-')}"


def phase_prompt(phase: Phase) -> str:
    return f"refine-{phase}"
