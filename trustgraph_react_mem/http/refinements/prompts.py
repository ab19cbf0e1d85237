"""The prompts of a step: of the companion and of the phase.  A workspace may replace them (``prompt/template.refine-...``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...extras import PROMPTS, require
from ...processors.operations.prompt_templates import WorkspacePrompts
from ...refine.records import COMPANION_TYPES, PHASES, CompanionType, Phase, RefinementEvent, Session
from ...refine.views import critique_view, draft_view, revise_view
from ..access import Access
from .views import at_last_critique

PROTOCOL = "refine-protocol"
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
        return self._prompts.prompt(PROTOCOL).render({})

    def sources(self) -> dict[str, Any]:
        """Every template with its variables, by ``DOMAIN/sys`` and ``user/PHASE``."""
        named = {f"{companion}/sys": companion_prompt(companion) for companion in COMPANION_TYPES}
        named |= {f"user/{phase}": phase_prompt(phase) for phase in PHASES}
        found = {key: {"content": self._prompts.source(name), "prompt_id": name} for key, name in named.items()}
        return {"templates": found, "count": len(found), "domains": list(COMPANION_TYPES)}

    def fill(self, session: Session, planned: RefinementEvent) -> Prompts:
        """The prompts of the planned step.  Raises: ConfigurationError (a template of the workspace is broken)."""
        system = self._prompts.prompt(companion_prompt(planned.companion_type)).render({"protocol": self.protocol})
        return Prompts(system=system, user=self._prompts.prompt(phase_prompt(planned.phase)).render(_terms(session, planned)))


def _terms(session: Session, planned: RefinementEvent) -> Mapping[str, Any]:
    if planned.phase == "draft":
        drafting = draft_view(session, planned.query, planned.variant)
        history = [{"role": each.role, "content": _fenced(each.content)} for each in drafting.history]
        return {"query": _fenced(drafting.query), "history": history}
    if planned.phase == "critique":
        judged = critique_view(session)
        terms = {"query": judged.query, "window": judged.window, "draft": judged.text}
    else:
        answered = revise_view(at_last_critique(session))
        terms = {"query": answered.query, "draft": answered.text, "critique": answered.critique}
    return {name: _fenced(text) for name, text in terms.items()}


def _fenced(text: str) -> str:
    """The text without the tags that mark data in the prompts."""
    return _TAG.sub("(", text)


def companion_prompt(companion: CompanionType) -> str:
    return f"refine-companion-{companion.replace('_', '-')}"


def phase_prompt(phase: Phase) -> str:
    return f"refine-{phase}"
