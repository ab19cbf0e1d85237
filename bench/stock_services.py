"""Services that a stock TrustGraph agent needs for the comparison.  Runs in the stock environment with stock base classes.

A model that answers at once with a fixed text, and a librarian that acknowledges every request.  Without a librarian, each save
of the stock agent would wait for its timeout, which would make the comparison unfair.
"""

import os
from typing import Any

from trustgraph.base import WorkspaceProcessor
from trustgraph.base.llm_service import LlmChunk, LlmResult, LlmService
from trustgraph.schema import LibrarianRequest, LibrarianResponse, librarian_request_queue, librarian_response_queue

ANSWER = os.environ.get("BENCH_ANSWER", "Thought: I know.\nFinal Answer: Yes.")


class FixedModel(LlmService):  # type: ignore[misc]
    async def generate_content(self, system: str, prompt: str, *_: Any, **__: Any) -> LlmResult:
        return LlmResult(text=ANSWER, in_token=len(prompt) // 4, out_token=len(ANSWER) // 4, model="fixed")

    def supports_streaming(self) -> bool:
        return True

    async def generate_content_stream(self, system: str, prompt: str, *_: Any, **__: Any) -> Any:
        yield LlmChunk(text=ANSWER, is_final=False, model="fixed")
        yield LlmChunk(text="", in_token=len(prompt) // 4, out_token=len(ANSWER) // 4, is_final=True, model="fixed")


class Librarian(WorkspaceProcessor):  # type: ignore[misc]
    """Acknowledges every request of every workspace."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._serving: dict[str, Any] = {}

    async def on_workspace_created(self, workspace: str) -> None:
        if workspace in self._serving:
            return
        response = await self.sender_pool.add_producer(
            topic=f"{librarian_response_queue}:{workspace}", schema=LibrarianResponse
        )

        async def acknowledge(message: Any) -> None:
            await response.send(LibrarianResponse(), properties={"id": message.properties()["id"]})

        self._serving[workspace] = await self.receiver_pool.add_consumer(
            topic=f"{librarian_request_queue}:{workspace}",
            subscription=self.id,
            schema=LibrarianRequest,
            handler=acknowledge,
        )
