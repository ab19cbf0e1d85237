"""Questions and memories in spans, where the operator permits it (``telemetry.conventions.CAPTURE``).

Invariant: a text is screened with the policy of its scope before it leaves the process, and at least secrets are removed.
"""

import json
from typing import Any

from opentelemetry.trace import Span

from ..memory.policies import policy_of
from ..memory.ports import GraphPorts
from ..memory.scope import Scope
from ..settings import AgentMemSettings
from ..telemetry.conventions import QUERY_TEXT, RECORDS

MOST_RECORDS = 50
MOST_CHARACTERS = 4000  # of one text


async def capture_content(
    span: Span, graph: GraphPorts, scope: Scope, settings: AgentMemSettings, request: Any, response: Any
) -> None:
    """Add the query and the records found to the span of a search."""
    if not span.is_recording():
        return
    policy = await policy_of(graph.keyring, scope, personal_data=settings.personal_data, secrets=settings.secrets)
    if query := getattr(request, "query", ""):
        span.set_attribute(QUERY_TEXT, (await policy.screen_async(query[:MOST_CHARACTERS])).text)
    found = [*getattr(response, "facts", ()), *getattr(response, "rules", ()), *getattr(response, "episodes", ())]
    records = [
        {
            "id": record.id,
            "content": (await policy.screen_async(_content(record)[:MOST_CHARACTERS])).text,
            "score": getattr(record, "score", 0.0),
        }
        for record in found[:MOST_RECORDS]
    ]
    if records:
        span.set_attribute(RECORDS, json.dumps(records, ensure_ascii=False))


def _content(record: Any) -> str:
    return str(getattr(record, "content", "") or getattr(record, "goal", ""))
