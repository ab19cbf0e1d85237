"""What the native routes take."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ...memory.records import FactKind, FactStatus
from ...memory.requests.fields import Importance, Limit, Threshold, Time
from ...memory.timefmt import parse_time

MOST_MESSAGES = 200
MOST_TEXT = 100_000
MEM0 = "{0} is a name of mem0: send {1}"


def _check_time(given: str) -> str:
    if given and parse_time(given) is None:
        raise ValueError("use RFC 3339, such as 2026-01-31T09:00:00Z")
    return given


Moment = Annotated[Time, AfterValidator(_check_time)]
Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]


class Model(BaseModel):
    """``refused``: fields that earlier versions had, and what to do.  To ignore them would change what is meant."""

    refused: ClassVar[Mapping[str, str]] = {}
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class ScopeFields(Model):
    """Whose memory.  With a user key, both may be left out."""

    user_id: Name = Field("", description="The user. A service or admin key needs it here or in a trusted header.")
    collection: Name = Field("", description="The collection of the user. Default: the first one of the key, else `default`.")


class Limited(ScopeFields):
    limit: Limit = 100


class Page(Limited):
    cursor: Annotated[str, Field(pattern=r"^\d{0,9}$")] = Field("", description="`next` of the page before.")

    @property
    def offset(self) -> int:
        return int(self.cursor or 0)

    def next(self, returned: int) -> str | None:
        """The cursor of the page after one with ``returned`` results; None: it was the last one."""
        return str(self.offset + returned) if returned == self.limit else None


class ListQuery(Page):
    kind: Sequence[FactKind] = Field((), description="Kinds, separated by commas. Default: all.")
    status: FactStatus = "active"
    conversation_id: Name = Field("", description="Only memories of this conversation.")
    since: Moment = Field("", description="Only memories from this time on, RFC 3339.")
    until: Moment = Field("", description="Only memories before this time, RFC 3339.")
    speaker: Name = Field("", description="Only memories that this speaker said.")
    about: Name = Field("", description="Only memories about this person or thing.")


class Message(Model):
    role: Literal["user", "assistant", "system", "tool"] = "user"
    content: Text
    name: Name = Field("", description="Of the person who said it, or of the tool. Default: the user of the key.")
    timestamp: Moment = Field("", description="When it was said, RFC 3339.")

    @model_validator(mode="after")
    def _check(self) -> "Message":
        if self.name and self.role not in ("user", "tool"):
            raise ValueError("name is for messages of the roles user and tool: leave it out")
        return self


class NewMemories(ScopeFields):
    """Messages to remember.  ``text`` is short for one message of the user."""

    refused: ClassVar[Mapping[str, str]] = {"run_id": MEM0.format("run_id", "conversation_id")}

    messages: Annotated[list[Message], Field(max_length=MOST_MESSAGES)] = Field(default_factory=list)
    text: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    infer: bool = Field(
        True, description="Let the model understand them, in the background. False: store the messages as they are."
    )
    conversation_id: Name = Field("", description="The conversation that the messages belong to. Default: a new one.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Names and values, kept with each message.")
    kind: Literal["semantic", "procedural", "reflective"] = Field(
        "semantic", description="Of the memories. Needs infer: false."
    )
    importance: Importance | None = Field(None, description="Of the memories (infer: false).")

    @model_validator(mode="after")
    def _check(self) -> "NewMemories":
        if bool(self.messages) == bool(self.text):
            raise ValueError("give either messages, with at least one message, or text")
        if self.infer and (self.kind != "semantic" or self.importance is not None):
            raise ValueError("kind and importance are found by the job: leave them out, or send infer: false")
        return self

    @property
    def spoken(self) -> list[Message]:
        return self.messages or [Message(content=self.text)]


class Question(ScopeFields):
    query: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    rerank: Literal["", "off", "paper", "calibrated"] = ""
    asked_at: Time = Field("", description="As if it were asked then, RFC 3339. Default: now.")
    timezone: Annotated[str, Field(max_length=64)] = ""
    conversation_id: Name = ""


class Search(Question):
    refused: ClassVar[Mapping[str, str]] = {
        "filters": "filters are read by POST /v2/memories/search/, the path of mem0: send the request there",
        "top_k": MEM0.format("top_k", "limit"),
    }

    limit: Annotated[int, Field(ge=1, le=500)] = 10
    types: list[Literal[FactKind, "episodic"]] = Field(
        default_factory=list,
        max_length=10,
        description="Kinds of memories. `episodic` also searches episodes. Default: all facts.",
    )
    threshold: Threshold = 0.0
    why: bool = Field(False, description="Also tell the reasons of the ranking.")


class Explain(Question):
    limit: Annotated[int, Field(ge=1, le=100)] = Field(5, description="Number of memories that a prompt would show.")
    candidates: Annotated[int, Field(ge=1, le=200)] = Field(20, description="Number of candidates that are ranked.")
    types: list[FactKind] = Field(default_factory=list, max_length=10, description="Kinds of memories. Default: all.")


class Changes(ScopeFields):
    """What changes in a memory.  Fields that are left out stay; metadata is merged."""

    text: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    condition: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    action: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    importance: Importance | None = None
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
    refused: ClassVar[Mapping[str, str]] = {"feedback": MEM0.format("feedback", "rating, 1 or -1")}

    rating: Literal[1, -1] = Field(description="1: useful, -1: not useful.")


class RollBackTo(ScopeFields):
    to: Annotated[Moment, Field(min_length=1)] = Field(description="The time to return to, RFC 3339.")
    dry_run: bool = Field(False, description="Change nothing: count what would change, and show the first memories of it.")


class NewRule(ScopeFields):
    action: Text = Field(description="What to do.")
    condition: Annotated[str, Field(max_length=MOST_TEXT)] = Field("", description="When it applies. Default: always.")


class JobsQuery(Limited):
    kind: Name = ""
    status: Literal["", "pending", "running", "succeeded", "failed", "cancelled"] = ""


class ConversationQuery(ScopeFields):
    conversation_id: Name = ""


class SettingChanges(Model):
    settings: dict[str, Any] = Field(default_factory=dict, max_length=200, description="Names and new values.")
    unset: Annotated[list[Name], Field(max_length=200)] = Field(
        default_factory=list, description="Names of settings that get their default again."
    )
    dry_run: bool = Field(False, description="Only check the values.")


class TurnsQuery(ScopeFields):
    limit: Limit = Field(10, description="Number of newest exchanges.")


class Switches(ScopeFields):
    read: bool | None = None
    write: bool | None = None
    conversation_id: Name = Field("", description="For this conversation only.")
