"""`/v1/topics`: what is known, grouped by what it is about."""

from pydantic import BaseModel, Field

from ...memory.records import TOPIC
from ...memory.requests import ListTopics
from ..access import Access
from . import models
from .routing import Answer, Routes

ROUTES = Routes()


class Topic(BaseModel):
    topic: str
    summary: str = Field(description="What its memories say, oldest first.")
    memories: list[str] = Field(description="Ids of its memories.")
    turns: list[str] = Field(description="Ids of the messages that they were understood from.")
    updated_at: str = Field(description="When the newest of them was said.")


class Topics(BaseModel):
    results: list[Topic]
    count: int = Field(description="Number of topics.")


@ROUTES.route("GET", "/v1/topics", tag="memories", answers={200: Topics})
async def topics(access: Access, query: models.Limited) -> Answer:
    """List what is known by topic, the newest first."""
    response = await access.call(ListTopics(limit=query.limit))
    found = [
        Topic(
            topic=fact.metadata[TOPIC],
            summary=fact.content,
            memories=fact.metadata["sources"].split(","),
            turns=fact.turn_ids,
            updated_at=fact.timestamp,
        )
        for fact in response.facts
    ]
    return Topics(results=found, count=response.count)
