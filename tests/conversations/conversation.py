"""The format of the conversation files.  README.md describes it for people who write one."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

DATA = Path(__file__).with_name("data")
NOW = datetime.now(UTC)
_UNITS = {"minutes": 60, "hours": 3600, "days": 86_400}

Texts = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else _as_tuple(value))]
"""A text or a list of texts."""


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _read_time(value: Any) -> Any:
    """A time with its zone, or an offset to the time of the test run: ``-30 days``."""
    if isinstance(value, str) and value[:1] in "+-" and value.split()[-1] in _UNITS:
        amount, unit = value.split()
        return NOW + timedelta(seconds=float(amount) * _UNITS[unit])
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no zone: add Z or an offset such as +09:00")
    return value


Time = Annotated[datetime, BeforeValidator(_read_time)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# ---------------------------------------------------------------------------------------------------- expectations


class ExpectedText(Strict):
    """What a text holds.  A text between slashes is a regular expression; others ignore case and white space."""

    holds: Texts = ()
    lacks: Texts = ()
    order: Texts = Field((), description="first places of these texts, one after the other")


class ExpectedMemories(ExpectedText):
    """The memories that are shown to the model, one record each."""

    first: str = Field("", description="the first memory holds this")
    once: Texts = Field((), description="exactly one memory holds each of these")
    places: int | None = Field(None, description="how many memories are shown")
    distinct: int | None = Field(None, description="how many different facts of `facts` are shown at least")
    facts: Texts = Field((), description="what `distinct` counts, one text for each fact")
    current: Texts = Field((), description="memories with these are not marked as no longer true")


class ExpectedTurn(Strict):
    """``knows``: evidence that must be in the prompt, in whichever block.  ``ignores``: in none of them."""

    knows: Texts = ()
    ignores: Texts = ()
    order: Texts = Field((), description="order of these texts in the whole prompt")
    memories: ExpectedMemories | None = None
    conversation: ExpectedText | None = None
    rules: ExpectedText | None = None
    episodes: ExpectedText | None = None
    steps: ExpectedText | None = Field(None, description="the tool calls and observations in the last prompt of the turn")
    most_characters: int | None = Field(None, description="length of the longest prompt of the turn")
    prompt: ExpectedText | None = Field(None, description="the whole prompt, instructions included")
    answer: str | None = Field(None, description="what the person sees, exactly")
    answer_holds: Texts = ()
    answer_lacks: Texts = ()
    shown_lacks: Texts = Field((), description="in no message to the person: thoughts, observations, answer")
    cited: Texts | None = Field(None, description="the memories that the answer rests on, in any order")
    pieces: int | None = Field(None, description="the answer is streamed in at least so many pieces")
    error: str = Field("", description="wire type of the error that the person gets")


class StoredRecord(Strict):
    """A record in the store.  Empty fields are not compared."""

    text: str
    kind: Literal["", "turn", "semantic", "procedural", "reflective", "topic"] = ""
    trust: Literal["", "user", "assistant", "tool", "document", "import"] = ""
    valid_from: str = Field("", description="the time from which it holds starts with this, such as 2026-05")
    uses: int | None = Field(None, description="how often answers cited it")


Record = Annotated[StoredRecord, BeforeValidator(lambda value: {"text": value} if isinstance(value, str) else value)]
Records = Annotated[tuple[Record, ...], BeforeValidator(_as_tuple)]


class ExpectedStore(Strict):
    """What is stored for a person, by status.  ``lacks``: no active record holds this."""

    person: str = "ana"
    collection: str = "default"
    active: Records = ()
    superseded: Records = ()
    quarantined: Records = ()
    rules: Records = ()
    lacks: Records = ()
    only: int | None = Field(None, description="number of active records that were extracted (no verbatim turns)")
    counts: Mapping[str, int] = Field({}, description="text -> number of active extracted records that hold it")
    episodes: Texts = ()


# ------------------------------------------------------------------------------------------------------------ steps


class Line(Strict):
    """A line of an imported transcript or document."""

    text: str
    speaker: str = "User"
    role: Literal["user", "assistant"] = "user"
    at: Time | None = None


class Task(Strict):
    """An episode that is stored as a client would."""

    goal: str
    steps: Texts = ()
    outcome: str = ""
    lessons: str = ""


class ChatLine(Strict):
    role: Literal["user", "assistant", "system"]
    content: str


class Forgotten(Strict):
    """The active records that hold ``text``, the whole conversation, or all of the person."""

    text: str = ""
    scope: Literal["", "conversation", "user"] = ""
    removed: int | None = Field(None, description="records that the receipt must name as removed, at least")


class Step(Strict):
    """One thing that happens.  Exactly one of the actions is set."""

    say: str | None = None
    forget: Forgotten | None = None
    undo: str | None = Field(None, description="undo the newest change of the record that holds this")
    confirm: str | None = Field(None, description="release the quarantined record that holds this")
    store: str | None = Field(None, description="store this fact as a client would")
    load: Annotated[tuple[Line, ...], BeforeValidator(_as_tuple)] | None = Field(None, description="import these lines")
    task: Task | None = None
    switch: Mapping[Literal["read", "write"], bool] | None = None
    end: bool | None = Field(None, description="the conversation ends, and its background work is waited for")
    stored: ExpectedStore | None = Field(None, description="compared at this point")

    # with `say`
    at: Time | None = None
    zone: str = Field("", description="IANA name of the asker's time zone")
    speaker: str = ""
    answer: str = Field("", description="the model's final answer")
    outputs: Texts = Field((), description="the model's outputs as they are, one for each step of the loop")
    streaming: bool = True
    history: Annotated[tuple[ChatLine, ...], BeforeValidator(_as_tuple)] = ()
    options: Mapping[str, Any] = Field({}, description="the request's memory options")
    enable_memory: bool | None = None
    expect: ExpectedTurn | None = None

    @model_validator(mode="after")
    def _one_action(self) -> Self:
        actions = ("say", "forget", "undo", "confirm", "store", "load", "task", "switch", "end", "stored")
        given = [name for name in actions if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a step has exactly one of {', '.join(actions)}, not {', '.join(given) or 'none'}")
        if self.say is None and (self.expect or self.answer or self.outputs):
            raise ValueError(f"answer, outputs and expect belong to `say`, not to `{given[0]}`")
        return self


class Session(Strict):
    """``conversation``: its id, `none` for a client that names none.  Empty: an id of its own."""

    at: Time
    person: str = "ana"
    shared: bool = Field(False, description="the client names no user: the memory of the workspace")
    collection: str = "default"
    conversation: str = ""
    speaker: str = ""
    zone: str = ""
    turns: Annotated[tuple[Step, ...], BeforeValidator(_as_tuple)]


class Rule(Strict):
    """A scripted answer to a background prompt.  ``when``: regular expression searched in the prompt."""

    when: str = ""
    answer: Any


class Conversation(Strict):
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    title: str
    proves: str = Field(min_length=20)
    language: str = Field("en", description="BCP 47 code of what the person says")
    quick: bool = False
    settings: Mapping[str, Any] = {}
    clock: bool = Field(False, description="the machine's clock shows the time of each session, so that records grow old")
    tools: Mapping[str, str] = Field({}, description="name of a tool -> what it returns")
    background: Mapping[str, Annotated[tuple[Rule, ...], BeforeValidator(_as_tuple)]] = {}
    sessions: Annotated[tuple[Session, ...], BeforeValidator(_as_tuple)] = Field(min_length=1)
    after: Annotated[tuple[ExpectedStore, ...], BeforeValidator(_as_tuple)] = ()


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML without its surprises: times and yes/no stay texts, and a key that is repeated is an error."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        repeated = sorted({str(key) for key in keys if keys.count(key) > 1})
        if repeated:
            raise ValueError(f"line {node.start_mark.line + 1}: {', '.join(repeated)} is given twice")
        return dict(super().construct_mapping(node, deep=deep))


for _tag, _pattern, _firsts in (
    ("bool", r"(?:true|false)$", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)$", "-0123456789"),
    ("float", r"-?[0-9]+\.[0-9]+$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_firsts))


_FILLER = re.compile(r"\{filler (\d+)\}")
_PROSE = (
    "Section {n} of the report describes the drainage of the northern meadow and the width of its ditches.",
    "The committee heard {n} speakers on the paving of the market square and adjourned without a vote.",
    "Table {n} lists the rainfall of the valley by month, measured at the old lock.",
    "In the {n}th paragraph the surveyor compares limestone with sandstone and prefers neither.",
    "A footnote on page {n} concerns the hinges of the town gate, which were replaced twice.",
)


def filler(characters: int) -> str:
    """Neutral prose of about this length, for `{filler 4000}` in a text."""
    sentences: list[str] = []
    while sum(map(len, sentences)) + len(sentences) < characters:
        sentences.append(_PROSE[len(sentences) % len(_PROSE)].format(n=len(sentences) + 2))
    return " ".join(sentences)


def _fill(value: Any) -> Any:
    if isinstance(value, str):
        return _FILLER.sub(lambda found: filler(int(found[1])), value)
    if isinstance(value, list):
        return [_fill(item) for item in value]
    return {key: _fill(item) for key, item in value.items()} if isinstance(value, dict) else value


def load_file(path: Path) -> list[Conversation]:
    """The conversations of a file.

    Raises:
        ValueError: names the file, the conversation, the place in it and what is wrong.
    """
    try:
        items = yaml.load(path.read_text("utf-8"), _Loader)
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{path.name} is not YAML: {error}") from None
    if not isinstance(items, list):
        raise ValueError(f"{path.name} must hold a list of conversations, not {type(items).__name__}")
    return [_read(path, number, item) for number, item in enumerate(items, start=1)]


def _read(path: Path, number: int, item: Any) -> Conversation:
    try:
        return Conversation.model_validate(_fill(item))
    except ValidationError as error:
        name = item.get("name", "without a name") if isinstance(item, dict) else type(item).__name__
        faults = [f"  {'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()]
        raise ValueError(f"{path.name}, conversation {number} ({name}):\n" + "\n".join(faults)) from None


def load_all() -> list[Conversation]:
    """All conversations, by file and place in it.  Raises: ValueError (as ``load_file``, or a name is used twice)."""
    found = [each for path in sorted(DATA.glob("*.yaml")) for each in load_file(path)]
    names = [each.name for each in found]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"names of conversations that are used twice: {', '.join(repeated)}")
    return found
