"""Operations of the facts service on memory switches and ranking."""

import json

from ...errors import BadRequest, NotFound
from ...learning.reward_log import learning_status
from ...memory.ports import Job, JsonValue, Switches
from ...memory.requests import GetLearningStatus, RateFacts, SwitchMemory
from ...memory.scope import Scope
from ...schema import FactsResponse
from ...settings import flow_payload
from ..service import FlowOperations, new_id, serves


class FactLearning(FlowOperations):
    """Changes of the ranking are jobs, because the job worker is the only writer of its weights."""

    @serves(SwitchMemory)
    async def switch(self, scope: Scope, request: SwitchMemory) -> FactsResponse:
        """Change the memory switches that the request sets, and return the current ones in ``stats``."""
        switches = self._memory.graph.switches
        if request.read is not None or request.write is not None:
            own = await switches.get(scope, request.conversation_id)
            chosen = Switches(
                read=own.read if request.read is None else request.read,
                write=own.write if request.write is None else request.write,
            )
            await switches.set(scope, chosen, request.conversation_id)
            await self._memory.notifier.changed(scope, "switches")
        now = await switches.get(scope, request.conversation_id)
        return FactsResponse(stats={"read": "on" if now.read else "off", "write": "on" if now.write else "off"})

    @serves(RateFacts)
    async def rate(self, scope: Scope, request: RateFacts) -> FactsResponse:
        """Publish a job that learns from a rating: 1 (useful) or -1 (not useful) for each id."""
        if request.rating not in (1, -1):
            raise BadRequest(f"rating {request.rating} must be 1 (useful) or -1 (not useful)")
        known = {fact.id for fact in await self._memory.facts.graph.get(scope, request.ids)}
        unknown = [record_id for record_id in request.ids if record_id not in known]
        if unknown:
            raise NotFound(f"no memory {unknown[0]!r} in this scope: list the memories to see their ids")
        entries: JsonValue = [{"id": record_id, "rating": request.rating} for record_id in request.ids]
        job = Job(
            id=new_id(),
            kind="reward",
            scope=scope,
            payload={"feedback": entries, **flow_payload(self._flow, self._settings)},
            created_at=self._memory.clock.now(),
            trigger="management",
        )
        await self._memory.publisher.publish([job])
        return FactsResponse(stats={"job": job.id}, count=1)

    @serves(GetLearningStatus)
    async def status(self, scope: Scope, request: GetLearningStatus) -> FactsResponse:
        """``data``: the learning status as JSON."""
        status = await learning_status(self._memory, scope)
        return FactsResponse(data=json.dumps(status), policy_version=int(status.get("policy", {}).get("version", 0)))
