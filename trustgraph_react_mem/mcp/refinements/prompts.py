"""The prompts of a step: of the companion and of the phase.  A workspace may replace them (``prompt/template.refine-...``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...extras import PROMPTS, require
from ...http.access import Access
from ...processors.operations.prompt_templates import WorkspacePrompts
from ...refine.records import RefinementEvent, Session
from ...refine.views import at_last_critique, critique_view, draft_view, revise_view

_TAG = re.compile(r"<(?=\s{0,4}/?\s{0,4}(?:question|drafts?|critique|human|ai)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    system: str
    user: str


async def fill_prompts(access: Access, session: Session, planned: RefinementEvent) -> Prompts:
    """The prompts of the planned step.

    Raises: MissingPackage, ConfigurationError (a template of the workspace is broken).
    """
    require("refinement", *PROMPTS)
    templates = WorkspacePrompts(await access.services.config_get("prompt"))
    protocol = templates.prompt("refine-protocol").render({})
    companion = f"refine-companion-{planned.companion_type.replace('_', '-')}"
    return Prompts(
        system=templates.prompt(companion).render({"protocol": protocol}),
        user=templates.prompt(f"refine-{planned.phase}").render(_terms(session, planned)),
    )


def _terms(session: Session, planned: RefinementEvent) -> Mapping[str, Any]:
    if planned.phase == "draft":
        drafting = draft_view(session, planned.query)
        history = [{"role": each.role, "content": _remove_tags(each.content)} for each in drafting.history]
        return {"query": _remove_tags(drafting.query), "history": history}
    if planned.phase == "critique":
        judged = critique_view(session)
        terms = {"query": judged.query, "window": judged.window, "draft": judged.text}
    else:
        answered = revise_view(at_last_critique(session))
        terms = {"query": answered.query, "draft": answered.text, "critique": answered.critique}
    return {name: _remove_tags(text) for name, text in terms.items()}


def _remove_tags(text: str) -> str:
    """The text without the tags that mark data in the prompts."""
    return _TAG.sub("(", text)
