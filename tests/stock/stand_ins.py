"""Stand-ins for TrustGraph's IAM service and librarian, which need Cassandra: everybody may, every document is taken.

Run as ``python -m tests.stock.stand_ins PULSAR_URL [--no-librarian]``.
"""

import argparse
import asyncio
from typing import Any

from trustgraph.base import AsyncProcessor, WorkspaceProcessor
from trustgraph.schema import (
    IamRequest,
    IamResponse,
    LibrarianRequest,
    LibrarianResponse,
    iam_request_queue,
    iam_response_queue,
    librarian_request_queue,
    librarian_response_queue,
)

# Any text will do as a key, but none makes the gateway ask for a minute.
NO_KEY = "-----BEGIN PUBLIC KEY-----\nbm9uZQ==\n-----END PUBLIC KEY-----\n"


class Iam(AsyncProcessor):  # type: ignore[misc]
    async def start(self) -> None:
        await super().start()
        replies = await self.sender_pool.add_producer(topic=iam_response_queue, schema=IamResponse)

        async def handle(message: Any) -> None:
            await replies.send(self.answer(message.value().operation), properties={"id": message.properties()["id"]})

        await self.receiver_pool.add_consumer(topic=iam_request_queue, subscription=self.id, schema=IamRequest, handler=handle)

    def answer(self, operation: str) -> IamResponse:
        match operation:
            case "authenticate-anonymous" | "resolve-api-key":
                return IamResponse(resolved_user_id="anonymous", resolved_default_workspace="default", resolved_roles=["admin"])
            case "authorise":
                return IamResponse(decision_allow=True, decision_ttl_seconds=3600)
            case "get-signing-key-public":
                return IamResponse(signing_key_public=NO_KEY)
        return IamResponse()


class Librarian(WorkspaceProcessor):  # type: ignore[misc]
    async def on_workspace_created(self, workspace: str) -> None:
        replies = await self.sender_pool.add_producer(topic=f"{librarian_response_queue}:{workspace}", schema=LibrarianResponse)

        async def handle(message: Any) -> None:
            request = message.value()
            document = request.document_id or (request.document_metadata.id if request.document_metadata else "")
            await replies.send(LibrarianResponse(document_id=document), properties={"id": message.properties()["id"]})

        await self.receiver_pool.add_consumer(
            topic=f"{librarian_request_queue}:{workspace}", subscription=self.id, schema=LibrarianRequest, handler=handle
        )


async def main(pulsar_url: str, *, librarian: bool) -> None:
    shared = {"pulsar_host": pulsar_url, "pubsub_backend": "pulsar", "concurrency": 8}
    processors: list[Any] = [Iam(id="iam-svc", **shared)]
    if librarian:
        processors.append(Librarian(id="librarian", **shared))
    await asyncio.gather(*(processor.start() for processor in processors))
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("pulsar_url")
    parser.add_argument("--no-librarian", action="store_true")
    arguments = parser.parse_args()
    asyncio.run(main(arguments.pulsar_url, librarian=not arguments.no_librarian))
