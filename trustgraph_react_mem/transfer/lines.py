"""The line format of exports: write records as JSON lines, and parse and validate lines."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from typing import Any, get_args

from ..errors import BadRequest, RefinementError
from ..memory.policies import DataPolicy
from ..memory.ports import FactWithHistory, LoggedReward, StoredWeights, Switches
from ..memory.records import (
    FACT_KINDS,
    FACT_STATUSES,
    Change,
    Conversation,
    Episode,
    Fact,
    Invocation,
    Trust,
    VersionEntry,
)
from ..memory.scope import Scope
from ..memory.text.well_formed import well_formed_tree
from ..memory.timefmt import format_time, require_time
from ..refine.records import RefinementEvent
from ..refine.stored import to_event, to_invocation

FORMAT = "trustgraph-react-mem"
SCHEMA_VERSION = 3
OLDEST_READ = 2  # the first schema; it has no changes, no rewards, and no data about the creation of facts

MOST_LINE_BYTES = 4_000_000  # as JSON text in a message; brokers refuse messages of more than 5 MB

_TIMES = frozenset(
    {
        *("created_at", "said_at", "valid_from", "valid_to", "superseded_at", "last_used_at"),
        *("at", "updated_at", "undone_at", "stored_at"),
    }
)
_TUPLES = frozenset({"entities", "turn_ids", "steps", "recalled_ids"})
_LEFT_OUT = frozenset({"scope", "indexed"})
_CHOICES: Mapping[str, Sequence[str]] = {"kind": FACT_KINDS, "status": FACT_STATUSES, "trust": get_args(Trust)}
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
    """Parsed records by type.  ``dropped``: number of records that the data policy excluded."""

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
    dropped: int = 0


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


def read_lines(scope: Scope, text: str, policy: DataPolicy | None, now: datetime, *, first: int = 1) -> Lines:
    """Parse lines, and apply ``policy`` to their texts (None: only validate).

    ``now``: the ``stored_at`` of facts from an export of schema 2, which lacks it.
    ``first``: the number of the first line, for errors.

    Raises:
        BadRequest: a line is not a valid record; the message has the line number and the reason.
    """
    read = Lines()
    # Not splitlines(): it also splits at U+2028 and similar characters, which JSON does not escape.
    for number, line in enumerate(text.split("\n"), start=first):
        if line.strip():
            _read_line(read, _parse_object(line, number), number, scope, policy, now)
    return read


def _read_line(read: Lines, row: Row, number: int, scope: Scope, policy: DataPolicy | None, now: datetime) -> None:
    kind = row.get("type")
    if (kind is None and "format" in row) or kind == "end":
        return  # header or trailer of a file
    kept = row if policy is None else _apply_policy(row, _TEXTS.get(str(kind), ()), policy, number)
    row = row if kept is None else kept
    match kind:
        case "fact":
            fact = FactWithHistory(
                fact=_build_record(Fact, row, number, scope=scope),
                stored_at=_parse_time(row, "stored_at", number) if row.get("stored_at") else now,
                stored_by=str(row.get("stored_by") or ""),
                stored_trigger=str(row.get("stored_trigger") or ""),
            )
            _add(read, read.facts, fact, kept)
        case "change":
            _add(read, read.changes, _parse_change(row, number, scope), kept)
        case "episode":
            _add(read, read.episodes, _build_record(Episode, row, number, scope=scope), kept)
        case "invocation":
            _add(read, read.invocations, _build_record(Invocation, row, number), kept)
        case "conversation":
            _check_conversation(row, number)
            _add(read, read.conversations, row, kept)
        case "refinement":
            _add(read, read.refinements, _parse_refinement(row, number), kept)
        case "relation":  # of entities, in exports of 0.1; nothing reads them any more
            return
        case "supersession":
            new_id, old_id = _required_strings(row, number, "new", "old")
            read.replacements.append((new_id, old_id))
        case "reward":
            read.rewards.append(_parse_reward(row, number))
        case "weights":
            read.weights.append(_parse_weights(row, number))
        case "switches":
            read.switches.append(_parse_switches(row, number))
        case _:
            raise BadRequest(
                f"line {number}: type = {str(kind)[:40]!r} is not a known record type: "
                "import it with the version of react-mem that wrote it, or a newer one"
            )


def _add(read: Lines, records: list[Any], record: Any, kept: Row | None) -> None:
    if kept is None:
        read.dropped += 1
    else:
        records.append(record)


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


def _parse_change(row: Row, number: int, scope: Scope) -> VersionEntry:
    record_id, change = _required_strings(row, number, "id", "change")
    before, version = row.get("before"), row.get("version")
    if change not in get_args(Change):
        raise BadRequest(f"line {number}: change = {change[:40]!r}: use one of {', '.join(get_args(Change))}")
    if not isinstance(before, dict) or not isinstance(version, int) or version < 2:
        raise BadRequest(f"line {number}: a change needs version, 2 or more, and before, the record as it was")
    former = _build_record(Fact, before, number, scope=scope)
    return VersionEntry(
        record_id=record_id,
        version=version,
        change=change,  # type: ignore[arg-type]  # looked up above
        at=_parse_time(row, "at", number),
        by=str(row.get("by") or ""),
        trigger=str(row.get("trigger") or ""),
        content=str(row.get("content") or ""),
        before=replace(former, id=record_id),
    )


def _parse_refinement(row: Row, number: int) -> Invocation:
    try:
        event = RefinementEvent.from_dict(row)
    except RefinementError as error:
        raise BadRequest(f"line {number}: {error}") from None
    undone_at = _parse_time(row, "undone_at", number) if row.get("undone_at") else None
    return replace(to_invocation(event), undone_at=undone_at, operation=str(row.get("operation") or ""))


def _required_strings(row: Row, number: int, *names: str) -> list[str]:
    values = [row.get(name) for name in names]
    for name, value in zip(names, values, strict=True):
        if not isinstance(value, str) or not value:
            raise BadRequest(f"line {number}: a {row['type']} needs {name}, a text")
    return [str(value) for value in values]


def _parse_reward(row: Row, number: int) -> LoggedReward:
    (job_id,) = _required_strings(row, number, "job_id")
    numbers = row.get("row")
    if not isinstance(numbers, dict) or not all(isinstance(value, int | float) for value in numbers.values()):
        raise BadRequest(f"line {number}: a reward needs row, an object of numbers")
    return LoggedReward(
        job_id=job_id, at=_parse_time(row, "at", number), row={str(name): value for name, value in numbers.items()}
    )


def _parse_switches(row: Row, number: int) -> tuple[str, Switches]:
    name, read, write = row.get("conversation_id", ""), row.get("read"), row.get("write")
    if not isinstance(name, str) or not isinstance(read, bool) or not isinstance(write, bool):
        raise BadRequest(f"line {number}: switches need read and write, each true or false")
    return name, Switches(read=read, write=write)


def _check_conversation(row: Row, number: int) -> None:
    _required_strings(row, number, "id")
    if not isinstance(row.get("metadata") or {}, Mapping):
        raise BadRequest(f"line {number}: the metadata of a conversation must be an object")
    if row.get("ended_at"):
        _parse_time(row, "ended_at", number)


def _parse_time(row: Row, name: str, number: int) -> datetime:
    try:
        return require_time(row.get(name), without_zone="refuse")
    except ValueError:
        raise BadRequest(f"line {number}: {name} = {str(row.get(name))[:40]!r} is not an ISO 8601 time with its zone") from None


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


def _build_record(kind: type[Any], row: Row, number: int, *, scope: Scope | None = None) -> Any:
    """Build a record from the row.  Unknown keys are ignored."""
    known = {each.name for each in fields(kind)} - _LEFT_OUT
    values: dict[str, Any] = {name: row[name] for name in row if name in known}
    for name, value in values.items():
        if name in _TIMES and value is not None:
            values[name] = _parse_time(row, name, number)
        elif name in _TUPLES:
            if not isinstance(value, list):
                raise BadRequest(f"line {number}: {name} = {str(value)[:40]!r} is not a list")
            values[name] = tuple(str(each) for each in value)
        if name in _CHOICES and kind is Fact and value not in _CHOICES[name]:
            raise BadRequest(f"line {number}: {name} = {str(value)[:40]!r}: use one of {', '.join(_CHOICES[name])}")
    if not values.get("id"):
        raise BadRequest(f"line {number}: a record needs an id")
    if scope is not None:
        values["scope"] = scope
    try:
        return kind(**values)
    except TypeError as error:
        raise BadRequest(f"line {number}: {str(error).split('__init__() ')[-1]}") from None


def _parse_weights(row: Row, number: int) -> StoredWeights:
    try:
        return StoredWeights(
            version=int(row["version"]),
            profile=str(row["profile"]),
            dimension=int(row["dimension"]),
            blob=base64.b64decode(row["blob"], validate=True),
            updated_at=require_time(row["updated_at"]),
        )
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise BadRequest(f"line {number}: these ranking weights cannot be read") from None
