"""Types of fields with their ranges and meanings: for requests, which check them, and for REST, MCP and the command line."""

from typing import Annotated

from pydantic import Field

MOST_FOUND = 500  # memories of one search

Limit = Annotated[int, Field(ge=1, le=10_000, description="Maximum number of results.")]
Offset = Annotated[int, Field(ge=0, le=10**9, description="Number of results to skip.")]
Found = Annotated[int, Field(ge=0, le=MOST_FOUND, description="Maximum number of memories.")]
Ranked = Annotated[int, Field(ge=1, le=500, description="Number of candidates that are ranked.")]
Rules = Annotated[int, Field(ge=0, le=100, description="Maximum number of rules, in addition.")]
Threshold = Annotated[float, Field(ge=0, le=1, description="Minimum calibrated similarity. 0: that of the embedding model.")]
Importance = Annotated[float, Field(ge=0, le=1, description="How much a memory matters, from 0 to 1.")]
Time = Annotated[str, Field(max_length=40, description="ISO 8601 time, such as 2026-05-01 or 2026-05-01T10:00:00Z.")]
ConversationId = Annotated[str, Field(max_length=200, description="Id of a conversation.")]
