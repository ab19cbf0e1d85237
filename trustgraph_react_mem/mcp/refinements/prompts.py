"""The prompts of a step: of the companion and of the phase.  A workspace may replace them (``prompt/template.refine-...``)."""

import re
from typing import Any

from ...extras import PROMPTS, require
from ...http.access import Access
from ...processors.operations.prompt_templates import WorkspacePrompts
from ...refine.records import RefinementEvent
from ...refine.views import View

_TAG = re.compile(r"<(?=\s{0,4}/?\s{0,4}(?:question|drafts?|critique|human|ai)\b)", re.IGNORECASE)


async def fill_prompts(access: Access, planned: RefinementEvent, seen: View) -> tuple[str, str]:
    """The system prompt and the prompt of the planned step.

    Raises: MissingPackage, ConfigurationError (a template of the workspace is broken).
    """
    require("refinement", *PROMPTS)
    templates = WorkspacePrompts(await access.services.config_get("prompt"))
    protocol = templates.prompt("refine-protocol").render({})
    companion = templates.prompt(f"refine-companion-{planned.companion_type.replace('_', '-')}")
    terms: dict[str, Any] = {
        "query": _remove_tags(seen.query),
        "draft": _remove_tags(seen.text),
        "window": _remove_tags(seen.window),
        "critique": _remove_tags(seen.critique),
        "history": [{"role": each.role, "content": _remove_tags(each.content)} for each in seen.history],
    }
    return companion.render({"protocol": protocol}), templates.prompt(f"refine-{planned.phase}").render(terms)


def _remove_tags(text: str) -> str:
    """The text without the tags that mark data in the prompts."""
    return _TAG.sub("(", text)
