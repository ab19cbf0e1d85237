"""The prompts of a step: of the companion and of the phase.  A workspace may replace them (``prompt/template.refine-...``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import NotFound
from ...extras import PROMPTS, require
from ...processors.operations.prompt_templates import WorkspacePrompts
from ...refine.records import COMPANION_TYPES, PHASES, CompanionType, Phase, RefinementEvent, Session
from ...refine.views import at_last_critique, critique_view, draft_view, revise_view
from ..access import Access

PROTOCOL = "refine-protocol"
KINDS = ("sys", "user")
FORMER_PHASES: Mapping[str, Phase] = {"initial": "draft", "revision": "revise"}  # as Recursive Agents MCP names its files
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

    def source(self, domain: str, kind: str, phase: str) -> dict[str, Any]:
        """One template.  ``sys``: of the companion, in each phase.  ``user``: of the phase, for all companions.

        Raises: NotFound.
        """
        companion, of = next((each for each in COMPANION_TYPES if each == domain), None), _phase_of(phase)
        if companion is None or of is None or kind not in KINDS:
            raise NotFound(
                f"there is no such template: use one of {', '.join(COMPANION_TYPES)}, then {' or '.join(KINDS)}, then one of "
                f"{', '.join(PHASES)}"
            )
        name = companion_prompt(companion) if kind == "sys" else phase_prompt(of)
        about = {"domain": companion, "type": kind, "phase": of, "key": f"{companion}/{kind}/{of}", "prompt_id": name}
        return {"content": self._prompts.source(name), "metadata": {"uses_protocol": kind == "sys", **about}}

    def of_phase(self, phase: str, kind: str) -> dict[str, Any]:
        """The templates of a phase, by domain.  Raises: NotFound."""
        found = {domain: self.source(domain, kind, phase) for domain in COMPANION_TYPES}
        return {"query": {"phase": phase, "type": kind}, "templates": found, "count": len(found)}

    def of_domain(self, domain: str) -> dict[str, Any]:
        """The templates of a domain, by ``PHASE/TYPE``.  Raises: NotFound."""
        found = {f"{phase}/{kind}": self.source(domain, kind, phase) for phase in PHASES for kind in KINDS}
        return {"query": {"domain": domain}, "templates": found, "count": len(found)}

    @staticmethod
    def domains() -> dict[str, Any]:
        counts = dict.fromkeys(COMPANION_TYPES, len(PHASES) * len(KINDS))
        return {"domains": list(COMPANION_TYPES), "counts": counts, "total": len(COMPANION_TYPES)}

    def fill(self, session: Session, planned: RefinementEvent) -> Prompts:
        """The prompts of the planned step.  Raises: ConfigurationError (a template of the workspace is broken)."""
        system = self._prompts.prompt(companion_prompt(planned.companion_type)).render({"protocol": self.protocol})
        return Prompts(system=system, user=self._prompts.prompt(phase_prompt(planned.phase)).render(_terms(session, planned)))


def _terms(session: Session, planned: RefinementEvent) -> Mapping[str, Any]:
    if planned.phase == "draft":
        drafting = draft_view(session, planned.query, planned.variant)
        history = [{"role": each.role, "content": _remove_tags(each.content)} for each in drafting.history]
        return {"query": _remove_tags(drafting.query), "history": history}
    if planned.phase == "critique":
        judged = critique_view(session)
        terms = {"query": judged.query, "window": judged.window, "draft": judged.text}
    else:
        answered = revise_view(at_last_critique(session))
        terms = {"query": answered.query, "draft": answered.text, "critique": answered.critique}
    return {name: _remove_tags(text) for name, text in terms.items()}


def _phase_of(name: str) -> Phase | None:
    return FORMER_PHASES.get(name) or next((each for each in PHASES if each == name), None)


def _remove_tags(text: str) -> str:
    """The text without the tags that mark data in the prompts."""
    return _TAG.sub("(", text)


def companion_prompt(companion: CompanionType) -> str:
    return f"refine-companion-{companion.replace('_', '-')}"


def phase_prompt(phase: Phase) -> str:
    return f"refine-{phase}"
