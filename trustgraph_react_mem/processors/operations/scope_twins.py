"""Operations on scopes whose names look the same and are stored in several spellings (``memory.scope_names``)."""

import json

from ...bootstrap import MemoryServices
from ...erasure.forget import forget_job
from ...errors import BadRequest
from ...memory.fencing import close_scope, run_fenced
from ...memory.policies import DataPolicy
from ...memory.requests import ListTwins, MergeTwins
from ...memory.scope import Scope
from ...memory.scope_names import compose, twins
from ...schema import FactsResponse
from ..service import WAIT_S, Operations, new_id

PAGE = 200  # records copied at once
STILL_WORKING = ("queued", "running", "deferred")


class ScopeTwins:
    def __init__(self, memory: MemoryServices) -> None:
        self._memory = memory

    def table(self) -> Operations:
        return {ListTwins: self.list, MergeTwins: self.merge}

    async def list(self, scope: Scope, request: ListTwins) -> FactsResponse:
        """``data``: the scopes of the workspace that have twins, as JSON."""
        found = twins(await self._memory.graph.scopes.scopes(scope.workspace))
        rows = [
            {
                "user": whole.user,
                "collection": whole.collection,
                "twins": [{"user": twin.user, "collection": twin.collection} for twin in others],
            }
            for whole, others in found
        ]
        return FactsResponse(data=json.dumps(rows), count=sum(len(others) for _, others in found))

    async def merge(self, scope: Scope, request: MergeTwins) -> FactsResponse:
        """Copy the twins of one scope into the composed one, and erase them in jobs.

        Nothing is lost if it is interrupted: a twin is erased after all of it was copied, and copying again adds nothing.
        ``count``: number of new records.  ``stats``: number of twins, and the jobs that erase them.
        """
        memory = self._memory
        whole = Scope(workspace=scope.workspace, user=compose(request.user), collection=compose(request.collection))
        others = dict(twins(await memory.graph.scopes.scopes(scope.workspace))).get(whole, [])
        for twin in others:
            if waiting := [job for job in await memory.graph.job_store.listing(twin) if job.state in STILL_WORKING]:
                raise BadRequest(
                    f"{len(waiting)} jobs of the scope {twin.key} are not finished: run `react-mem jobs wait` first"
                )
        added, jobs = 0, []
        for twin in others:
            claim = await memory.graph.fence.claim(twin)
            async with close_scope(memory.graph.fence, twin, erasing=False, token=claim):
                added += await self._copy(twin, whole)
            memory.names.forget()
            job = forget_job(twin, "collection", at=memory.clock.now(), nonce=new_id())
            await memory.publisher.publish([job])
            jobs.append(job.id)
        for store in ("facts", "episodes", "conversations", "weights", "switches"):
            await memory.notifier.changed(whole, store)
        return FactsResponse(count=added, stats={"twins": str(len(others)), "jobs": ",".join(jobs)})

    async def _copy(self, twin: Scope, whole: Scope) -> int:
        added, cursor = 0, ""
        while True:
            lines, cursor = await self._memory.exporter.page(twin, cursor, PAGE)
            text = "".join(line + "\n" for line in lines)

            async def write(text: str = text) -> int:
                # The texts were screened when they were stored.
                return await self._memory.importer.lines(whole, text, DataPolicy())

            if lines:
                added += await run_fenced(self._memory.graph.fence, whole, write, wait_s=WAIT_S)
            if not cursor:
                return added
