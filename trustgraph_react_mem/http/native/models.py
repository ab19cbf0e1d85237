"""What the native routes take."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...memory.timefmt import parse_time

MOST_LISTED = 1000
MOST_MESSAGES = 200
MOST_TEXT = 100_000

Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
Limit = Annotated[int, Field(ge=1, le=MOST_LISTED)]
Share = Annotated[float, Field(ge=0, le=1)]
Kind = Literal["turn", "semantic", "procedural", "reflective", "topic"]
Searched = Literal["turn", "semantic", "procedural", "reflective", "topic", "episodic"]


class Model(BaseModel):
    """``refused``: fields that earlier versions had, and what to do.  To ignore them would change what is meant."""

    refused: ClassVar[Mapping[str, str]] = {}
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Empty(Model):
    """No parameters."""


class ScopeFields(Model):
    """Whose memory.  With a user key, both may be left out."""

    user_id: Name = Field("", description="The user. A service or admin key needs it here or in a trusted header.")
    collection: Name = Field("", description="The collection of the user. Default: the first one of the key, else `default`.")


class Page(ScopeFields):
    limit: Limit = 100
    cursor: Annotated[str, Field(pattern=r"^\d{0,9}$")] = Field("", description="`next` of the page before.")


class ListQuery(Page):
    kind: Sequence[Kind] = Field((), description="Kinds, separated by commas. Default: all.")
    status: Literal["active", "superseded", "quarantined", "undone"] = "active"
    conversation_id: Name = Field("", description="Only memories of this conversation.")
    since: Annotated[str, Field(max_length=40)] = Field("", description="Only memories from this time on, RFC 3339.")
    until: Annotated[str, Field(max_length=40)] = Field("", description="Only memories before this time, RFC 3339.")
    speaker: Name = Field("", description="Only memories that this speaker said.")
    about: Name = Field("", description="Only memories about this person or thing.")


class Message(Model):
    role: Literal["user", "assistant", "system", "tool"] = "user"
    content: Text
    name: Name = Field("", description="Of the person who said it, or of the tool. Default: the user of the key.")
    timestamp: Annotated[str, Field(max_length=40)] = Field("", description="When it was said, RFC 3339.")

    @model_validator(mode="after")
    def _check(self) -> "Message":
        if self.name and self.role not in ("user", "tool"):
            raise ValueError("name is for messages of the roles user and tool: leave it out")
        if self.timestamp and parse_time(self.timestamp) is None:
            raise ValueError("timestamp is not a time: use RFC 3339, such as 2026-01-31T08:00:00Z")
        return self


Messages = Annotated[list[Message], Field(max_length=MOST_MESSAGES)]


class NewMemories(ScopeFields):
    """Messages to remember.  ``text`` is short for one message of the user."""

    messages: Messages = Field(default_factory=list)
    text: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    infer: bool = Field(
        True, description="Let the model understand them, in the background. False: store the messages as they are."
    )
    conversation_id: Name = Field("", description="The conversation that the messages belong to. Default: a new one.")
    run_id: Name = Field("", description="The same, as mem0 names it.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Names and values, kept with each message.")
    kind: Literal["semantic", "procedural", "reflective"] = Field(
        "semantic", description="Of the memories. Needs infer: false."
    )
    importance: Share | None = Field(None, description="Of the memories (infer: false).")

    @field_validator("messages", mode="before", json_schema_input_type=Text | Message | Messages)
    @classmethod
    def _one_message(cls, given: Any) -> Any:
        """As mem0: a text or one message may be given for the list."""
        if isinstance(given, str):
            return [{"role": "user", "content": given}]
        return [given] if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _check(self) -> "NewMemories":
        if bool(self.messages) == bool(self.text):
            raise ValueError("give either messages, with at least one message, or text")
        if self.conversation_id and self.run_id and self.conversation_id != self.run_id:
            raise ValueError("conversation_id and run_id differ: give one of them")
        if self.infer and (self.kind != "semantic" or self.importance is not None):
            raise ValueError("kind and importance are found by the job: leave them out, or send infer: false")
        return self

    @property
    def conversation(self) -> str:
        return self.conversation_id or self.run_id

    @property
    def spoken(self) -> list[Message]:
        return self.messages or [Message(content=self.text)]


class Search(ScopeFields):
    query: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    limit: Annotated[int, Field(ge=1, le=500)] = 10
    top_k: Annotated[int, Field(ge=1, le=500)] | None = Field(None, description="The same as limit, as mem0 names it.")
    types: list[Searched] = Field(
        default_factory=list,
        max_length=10,
        description="Kinds of memories. `episodic` also searches episodes. Default: all facts.",
    )
    threshold: Share = Field(0.0, description="Least calibrated similarity. 0: that of the embedding model.")
    rerank: Literal["", "off", "paper", "calibrated"] = ""
    why: bool = Field(False, description="Also tell the reasons of the ranking.")
    conversation_id: Name = ""
    asked_at: Annotated[str, Field(max_length=40)] = ""
    timezone: Annotated[str, Field(max_length=64)] = ""

    refused: ClassVar[Mapping[str, str]] = {
        "filters": "filters are read by POST /v2/memories/search/, the path of mem0: send the request there",
    }


class Explain(ScopeFields):
    query: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    limit: Annotated[int, Field(ge=1, le=100)] = Field(5, description="Number of memories that a prompt would show.")
    candidates: Annotated[int, Field(ge=1, le=200)] = Field(20, description="Number of candidates that are ranked.")
    types: list[Kind] = Field(default_factory=list, max_length=10, description="Kinds of memories. Default: all.")
    rerank: Literal["", "off", "paper", "calibrated"] = ""
    asked_at: Annotated[str, Field(max_length=40)] = Field("", description="As if it were asked then, RFC 3339. Default: now.")
    timezone: Annotated[str, Field(max_length=64)] = ""
    conversation_id: Name = ""


class Changes(ScopeFields):
    """What changes in a memory.  Fields that are left out stay; metadata is merged."""

    text: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    condition: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    action: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    importance: Share | None = None
    status: Literal["", "active", "quarantined"] = ""

    @model_validator(mode="after")
    def _check(self) -> "Changes":
        if not (self.text or self.condition or self.action or self.metadata or self.status or self.importance is not None):
            raise ValueError("nothing changes: give text, condition, action, metadata, importance or status")
        return self


class ForgetQuery(ScopeFields):
    conversation_id: Name = Field("", description="Erase this conversation only.")
    confirm: Name = Field("", description="Service and admin keys: repeat the name of what is erased.")


class Rating(ScopeFields):
    rating: Literal[1, -1] | None = Field(None, description="1: useful, -1: not useful.")
    feedback: Literal["POSITIVE", "NEGATIVE", "VERY_NEGATIVE"] | None = Field(None, description="The same, as mem0 names it.")

    @model_validator(mode="after")
    def _check(self) -> "Rating":
        if (self.rating is None) == (self.feedback is None):
            raise ValueError("give either rating (1 or -1) or feedback (POSITIVE, NEGATIVE or VERY_NEGATIVE)")
        return self

    @property
    def value(self) -> int:
        return self.rating or (1 if self.feedback == "POSITIVE" else -1)


class RollBackTo(ScopeFields):
    to: Annotated[str, Field(min_length=1, max_length=40)] = Field(description="The time to return to, RFC 3339.")
    dry_run: bool = Field(False, description="Change nothing: count what would change, and show the first memories of it.")

    @field_validator("to")
    @classmethod
    def _is_time(cls, given: str) -> str:
        if parse_time(given) is None:
            raise ValueError("use RFC 3339, such as 2026-01-31T09:00:00Z")
        return given


class NewRule(ScopeFields):
    action: Text = Field(description="What to do.")
    condition: Annotated[str, Field(max_length=MOST_TEXT)] = Field("", description="When it applies. Default: always.")


class NewEpisode(ScopeFields):
    goal: Text
    steps: Annotated[list[Text], Field(max_length=200)] = Field(default_factory=list)
    outcome: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    lessons: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    succeeded: bool = True
    conversation_id: Name = ""
    metadata: dict[str, Any] = Field(default_factory=dict)


class JobsQuery(ScopeFields):
    limit: Limit = 100
    kind: Name = ""
    status: Literal["", "pending", "running", "succeeded", "failed", "cancelled"] = ""


class ReceiptsQuery(ScopeFields):
    limit: Limit = 100


class ConversationQuery(ScopeFields):
    conversation_id: Name = ""


class SettingChanges(Model):
    settings: dict[str, Any] = Field(default_factory=dict, max_length=200, description="Names and new values.")
    unset: Annotated[list[Name], Field(max_length=200)] = Field(
        default_factory=list, description="Names of settings that get their default again."
    )
    dry_run: bool = Field(False, description="Only check the values.")


class TurnsQuery(ScopeFields):
    limit: Annotated[int, Field(ge=1, le=1000)] = Field(10, description="Number of newest exchanges.")


class Switches(ScopeFields):
    read: bool | None = None
    write: bool | None = None
    conversation_id: Name = Field("", description="For this conversation only.")
