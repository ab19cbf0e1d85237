"""The line format of exports: write records as JSON lines, and parse and validate lines."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..errors import BadRequest, RefinementError
from ..memory.policies import DataPolicy
from ..memory.ports import FactWithHistory, LoggedReward, StoredWeights, Switches
from ..memory.records import Change, Conversation, Episode, Fact, Invocation, VersionEntry
from ..memory.scope import Scope
from ..memory.text.well_formed import well_formed_tree
from ..memory.timefmt import format_time, require_time
from ..refine.records import RefinementEvent
from ..refine.stored import to_event, to_invocation

FORMAT = "trustgraph-react-mem"
SCHEMA_VERSION = 3  # of version 0.1.0, too

MOST_LINE_BYTES = 4_000_000  # as JSON text in a message; brokers refuse messages of more than 5 MB

_LEFT_OUT = frozenset({"scope", "indexed"})
_TEXTS: Mapping[str, Sequence[str]] = {  # fields with text of users or models, to which the data policy applies
    "fact": ("content", "condition", "action", "entities", "metadata"),
    "change": ("content", "before"),
    "episode": ("goal", "steps", "outcome", "lessons", "metadata"),
    "invocation": ("query", "summary", "result", "steps"),
    "conversation": ("metadata",),
    "refinement": ("query", "text", "variant", "sampling"),
}

_IDS = ("id", "source", "conversation_id", "session_id", "invocation_id", "turn_ids", "recalled_ids", "fact_id")

Row = Mapping[str, Any]


@dataclass(slots=True)
class Lines:
    """Parsed records by type."""

    facts: list[FactWithHistory] = field(default_factory=list)
    changes: list[VersionEntry] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
    conversations: list[Row] = field(default_factory=list)
    replacements: list[tuple[str, str]] = field(default_factory=list)  # (new id, old id)
    rewards: list[LoggedReward] = field(default_factory=list)
    weights: list[StoredWeights] = field(default_factory=list)
    switches: list[tuple[str, Switches]] = field(default_factory=list)
    refinements: list[Invocation] = field(default_factory=list)  # stored events


# -- writing -------------------------------------------------------------------------------------------------------------


def fact_line(archived: FactWithHistory) -> str:
    stored = {"stored_at": archived.stored_at, "stored_by": archived.stored_by, "stored_trigger": archived.stored_trigger}
    return line_of("fact", _plain_row(archived.fact) | stored)


def change_line(entry: VersionEntry) -> str:
    row = _plain_row(entry)
    row["id"] = row.pop("record_id")
    row["before"] = _plain_row(entry.before) if entry.before is not None else None
    return line_of("change", row)


def conversation_line(conversation: Conversation) -> str:
    row = _plain_row(conversation)
    del row["invocations"]
    return line_of("conversation", row)


def refinement_line(stored: Invocation) -> str | None:
    """The line of a stored refinement event; None if it is none."""
    event = to_event(stored)
    marks = {"undone_at": stored.undone_at, "operation": stored.operation}
    return line_of("refinement", event.as_dict() | marks) if event is not None else None


def weights_line(weights: StoredWeights) -> str:
    return line_of("weights", _plain_row(weights) | {"blob": base64.b64encode(weights.blob).decode()})


def line_of(kind: str, record: Any) -> str:
    row = _plain_row(record) if is_dataclass(record) and not isinstance(record, type) else dict(record)
    return json.dumps({"type": kind, **row}, ensure_ascii=False, sort_keys=True, default=_plain)


def _plain_row(record: Any) -> dict[str, Any]:
    return {each.name: value for each in fields(record) if each.name not in _LEFT_OUT for value in [getattr(record, each.name)]}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_time(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


# -- reading -------------------------------------------------------------------------------------------------------------


def read_lines(scope: Scope, text: str, policy: DataPolicy | None, *, first: int = 1) -> Lines:
    """Parse lines, and apply ``policy`` to their texts (None: only validate).  A record whose text must be dropped is left out.

    ``first``: the number of the first line, for errors.

    Raises:
        BadRequest: a line is not a valid record; the message has the line number and the reason.
    """
    read = Lines()
    # Not splitlines(): it also splits at U+2028 and similar characters, which JSON does not escape.
    for number, written in enumerate(text.split("\n"), start=first):
        if not written.strip():
            continue
        row = _parse_object(written, number)
        kind = str(row.get("type"))
        if ("type" not in row and "format" in row) or kind in _PASSED_OVER:
            continue
        if kind not in _READERS:
            raise BadRequest(
                f"line {number}: type = {kind[:40]!r} is not a known record type: "
                "import it with the version of react-mem that wrote it, or a newer one"
            )
        kept = row if policy is None else _apply_policy(row, _TEXTS.get(kind, ()), policy, number)
        place, reader = _READERS[kind]
        record = reader(_Line(row if kept is None else kept, number, scope))
        if kept is not None:
            getattr(read, place).append(record)
    return read


def _apply_policy(row: Row, names: Sequence[str], policy: DataPolicy, number: int) -> Row | None:
    """The row after the policy was applied to its texts; None if one of them must be dropped."""

    def screen(value: Any) -> Any:
        if isinstance(value, str):
            screened = policy.screen(value)
            if screened.dropped:
                raise _DroppedText
            return screened.text
        if isinstance(value, list):
            return [screen(each) for each in value]
        if isinstance(value, dict):
            plain = policy.screen_map({str(key): each for key, each in value.items() if isinstance(each, str)})
            if plain.dropped:
                raise _DroppedText
            return {**{key: screen(each) for key, each in value.items() if not isinstance(each, str)}, **plain.fields}
        return value

    def screen_record(value: Row, names: Sequence[str]) -> Row:
        for name in _IDS:
            for each in value.get(name, ()) if isinstance(value.get(name), list) else [value.get(name)]:
                policy.check_id(f"line {number}: {name}", each) if isinstance(each, str) else None
        screened = {
            name: screen_record(value[name], _TEXTS["fact"])
            if name == "before" and isinstance(value[name], dict)
            else screen(value[name])
            for name in names
            if name in value
        }
        if isinstance(speaker := value.get("speaker"), str):
            screened["speaker"] = policy.screen_name(speaker)
        return {**value, **screened}

    try:
        return screen_record(row, names)
    except _DroppedText:
        return None


class _DroppedText(Exception):
    """The policy does not allow storing a text."""


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


@dataclass(frozen=True, slots=True)
class _Line:
    """A parsed line with its number, and the scope of the import."""

    row: Row
    number: int
    scope: Scope

    def refuse(self, what: str) -> BadRequest:
        return BadRequest(f"line {self.number}: {what}")

    def texts(self, *names: str) -> list[str]:
        """The values of these fields.  Raises: BadRequest (one is missing, or no text)."""
        for name in names:
            if not isinstance(self.row.get(name), str) or not self.row[name]:
                raise self.refuse(f"a {self.row['type']} needs {name}, a text")
        return [str(self.row[name]) for name in names]

    def time(self, name: str) -> datetime:
        try:
            return require_time(self.row.get(name), without_zone="refuse")
        except ValueError:
            raise self.refuse(f"{name} = {str(self.row.get(name))[:40]!r} is not an ISO 8601 time with its zone") from None

    def record(self, kind: type) -> Any:
        """A record with the fields of the row.  Unknown keys are ignored."""
        hints = _hints(kind)
        known = [each.name for each in fields(kind) if each.name not in _LEFT_OUT and each.name in self.row]
        values = {name: self._value(name, hints[name]) for name in known}
        if not values.get("id"):
            raise self.refuse("a record needs an id")
        try:
            return kind(**values, **({"scope": self.scope} if "scope" in hints else {}))
        except TypeError as error:
            raise self.refuse(str(error).split("__init__() ")[-1]) from None

    def _value(self, name: str, hint: Any) -> Any:
        value = self.row[name]
        if hint is datetime or (hint == datetime | None and value is not None):
            return self.time(name)
        if get_origin(hint) is tuple:
            if not isinstance(value, list):
                raise self.refuse(f"{name} = {str(value)[:40]!r} is not a list")
            return tuple(str(each) for each in value)
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise self.refuse(f"{name} = {str(value)[:40]!r}: use one of {', '.join(get_args(hint))}")
        return value


def _parse_object(line: str, number: int) -> Row:
    try:
        row = well_formed_tree(json.loads(line))
    except json.JSONDecodeError as error:
        raise BadRequest(f"line {number} is not JSON ({error.msg}): import a file that export wrote") from None
    except RecursionError:
        raise BadRequest(f"line {number} is nested too deeply: import a file that export wrote") from None
    if not isinstance(row, dict):
        raise BadRequest(f"line {number} is a JSON {type(row).__name__}: import a file that export wrote")
    return row


def _read_fact(line: _Line) -> FactWithHistory:
    fact: Fact = line.record(Fact)
    return FactWithHistory(
        fact=fact,
        stored_at=line.time("stored_at") if line.row.get("stored_at") else fact.created_at,
        stored_by=str(line.row.get("stored_by") or ""),
        stored_trigger=str(line.row.get("stored_trigger") or ""),
    )


def _read_change(line: _Line) -> VersionEntry:
    record_id, change = line.texts("id", "change")
    before, version = line.row.get("before"), line.row.get("version")
    if change not in get_args(Change):
        raise line.refuse(f"change = {change[:40]!r}: use one of {', '.join(get_args(Change))}")
    if not isinstance(before, dict) or not isinstance(version, int) or version < 2:
        raise line.refuse("a change needs version, 2 or more, and before, the record as it was")
    told = {name: str(line.row.get(name) or "") for name in ("by", "trigger", "content")}
    former = replace(replace(line, row=before).record(Fact), id=record_id)
    return VersionEntry(
        record_id=record_id,
        version=version,
        change=change,  # type: ignore[arg-type]  # looked up above
        at=line.time("at"),
        before=former,
        **told,
    )


def _read_conversation(line: _Line) -> Row:
    line.texts("id")
    if not isinstance(line.row.get("metadata") or {}, Mapping):
        raise line.refuse("the metadata of a conversation must be an object")
    if line.row.get("ended_at"):
        line.time("ended_at")
    return line.row


def _read_refinement(line: _Line) -> Invocation:
    try:
        event = RefinementEvent.from_dict(line.row)
    except RefinementError as error:
        raise line.refuse(str(error)) from None
    undone_at = line.time("undone_at") if line.row.get("undone_at") else None
    return replace(to_invocation(event), undone_at=undone_at, operation=str(line.row.get("operation") or ""))


def _read_reward(line: _Line) -> LoggedReward:
    (job_id,) = line.texts("job_id")
    numbers = line.row.get("row")
    if not isinstance(numbers, dict) or not all(isinstance(value, int | float) for value in numbers.values()):
        raise line.refuse("a reward needs row, an object of numbers")
    return LoggedReward(job_id=job_id, at=line.time("at"), row=numbers)


def _read_weights(line: _Line) -> StoredWeights:
    row = line.row
    try:
        return StoredWeights(
            version=int(row["version"]),
            profile=str(row["profile"]),
            dimension=int(row["dimension"]),
            blob=base64.b64decode(row["blob"], validate=True),
            updated_at=require_time(row["updated_at"]),
        )
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise line.refuse("these ranking weights cannot be read") from None


def _read_switches(line: _Line) -> tuple[str, Switches]:
    name, read, write = line.row.get("conversation_id", ""), line.row.get("read"), line.row.get("write")
    if not isinstance(name, str) or not isinstance(read, bool) or not isinstance(write, bool):
        raise line.refuse("switches need read and write, each true or false")
    return name, Switches(read=read, write=write)


#: By type of line: the field of ``Lines`` for its records, and what reads one.
_READERS: Mapping[str, tuple[str, Callable[[_Line], Any]]] = {
    "fact": ("facts", _read_fact),
    "change": ("changes", _read_change),
    "episode": ("episodes", lambda line: line.record(Episode)),
    "invocation": ("invocations", lambda line: line.record(Invocation)),
    "conversation": ("conversations", _read_conversation),
    "refinement": ("refinements", _read_refinement),
    "supersession": ("replacements", lambda line: tuple(line.texts("new", "old"))),
    "reward": ("rewards", _read_reward),
    "weights": ("weights", _read_weights),
    "switches": ("switches", _read_switches),
}
#: The trailer of a file, and relations of entities, which version 0.1 exported and nothing reads.
_PASSED_OVER = ("end", "relation")
