"""Transcripts with what evaluations ask of them: questions with the turns that answer them, and statements about turns."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.timefmt import format_time
from trustgraph_react_mem.schema import Turn
from trustgraph_react_mem.transcripts import Transcript, read_rows

_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
_LONGMEMEVAL_TIMES = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptQuestion:
    """``evidence``: ids of the turns that hold the answer; empty if the file does not say."""

    text: str
    answer: str = ""
    category: str = ""
    evidence: tuple[str, ...] = ()
    asked_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A statement derived from turns, such as LoCoMo's observations, which a model wrote."""

    text: str
    speaker: str
    session: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTranscript(Transcript):
    questions: tuple[TranscriptQuestion, ...] = ()
    notes: tuple[Note, ...] = ()


def read_transcripts(path: Path) -> list[AskedTranscript]:
    """The dialogues of a LoCoMo or LongMemEval file.  Raises: BadRequest."""
    data, places = read_rows(path)
    first = data[0] if data and isinstance(data[0], dict) else {}
    if "conversation" in first and "qa" in first:
        kind, read = "locomo", _read_locomo
    elif "haystack_sessions" in first:
        kind, read = "longmemeval", _read_longmemeval
    else:
        raise BadRequest(
            f"{path} is no file of LoCoMo or LongMemEval: it has neither conversation and qa nor haystack_sessions"
        )
    transcripts = []
    for number, item in enumerate(data):
        try:
            transcripts.append(read(item, number))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            wrong = f"{error} is missing" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}"
            raise BadRequest(
                f"{path}, {places[number]}: dialogue {number + 1} looks like {kind} but is malformed ({wrong}): correct it"
            ) from error
    return transcripts


def _read_locomo(item: Mapping[str, Any], number: int) -> AskedTranscript:
    conversation = item["conversation"]
    first_speaker = conversation.get("speaker_a", "")
    sessions = sorted((key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    turns = []
    for session in sessions:
        said_at = format_time(datetime.strptime(conversation[f"{session}_date_time"], _LOCOMO_TIME).replace(tzinfo=UTC))
        for turn in conversation[session]:
            text = turn.get("text", "").strip()
            if turn.get("blip_caption"):
                text = f"{text} [shared {turn['blip_caption']}]".strip()
            role = "user" if turn["speaker"] == first_speaker else "assistant"
            turns.append(
                Turn(id=turn["dia_id"], speaker=turn["speaker"], role=role, text=text, said_at=said_at, session=session)
            )
    known = {turn.id for turn in turns}
    return AskedTranscript(
        id=str(item.get("sample_id") or f"locomo-{number}"),
        turns=tuple(turns),
        questions=tuple(_locomo_questions(item, known)),
        notes=tuple(_locomo_notes(item, known)),
    )


def _read_longmemeval(item: Mapping[str, Any], number: int) -> AskedTranscript:
    turns, evidence = [], []
    dates = item.get("haystack_dates") or [""] * len(item["haystack_sessions"])
    names = item.get("haystack_session_ids") or [str(i) for i in range(len(item["haystack_sessions"]))]
    for session, date, messages in zip(names, dates, item["haystack_sessions"], strict=True):
        for position, message in enumerate(messages):
            role = message["role"]
            speaker = "User" if role == "user" else "Assistant"
            name = f"{session}:{position}"
            if message.get("has_answer"):
                evidence.append(name)
            turns.append(
                Turn(
                    id=name,
                    speaker=speaker,
                    role=role,
                    text=message["content"],
                    said_at=longmemeval_time(date),
                    session=session,
                )
            )
    question = TranscriptQuestion(
        text=item["question"],
        answer=str(item.get("answer", "")),
        category=str(item.get("question_type", "")),
        evidence=tuple(evidence),
        asked_at=longmemeval_time(item.get("question_date", "")),
    )
    name = str(item.get("question_id") or f"longmemeval-{number}")
    return AskedTranscript(id=name, turns=tuple(turns), questions=(question,))


def longmemeval_time(text: str) -> str:
    for form in _LONGMEMEVAL_TIMES:
        try:
            return format_time(datetime.strptime(text, form).replace(tzinfo=UTC))
        except ValueError:
            continue
    return text


def _locomo_questions(item: Mapping[str, Any], known: set[str]) -> list[TranscriptQuestion]:
    return [
        TranscriptQuestion(
            text=entry["question"],
            answer=str(entry.get("answer", "")),
            category=str(entry.get("category", "")),
            evidence=tuple(dict.fromkeys(name for name in _turn_names(entry.get("evidence", ())) if name in known)),
        )
        for entry in item["qa"]
    ]


def _locomo_notes(item: Mapping[str, Any], known: set[str]) -> list[Note]:
    return [
        Note(text=text, speaker=speaker, session=key.removesuffix("_observation"), turn_ids=named)
        for key, by_speaker in item.get("observation", {}).items()
        for speaker, statements in by_speaker.items()
        for text, source, *_ in statements
        if (named := tuple(name for name in _turn_names(source) if name in known))
    ]


def _turn_names(value: Any) -> Iterator[str]:
    for session, turn in _EVIDENCE.findall(" ".join(map(str, value)) if isinstance(value, list) else str(value)):
        yield f"D{int(session)}:{int(turn)}"
