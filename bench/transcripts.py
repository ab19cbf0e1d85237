"""Transcripts with what evaluations ask of them: questions with the turns that answer them, and statements about turns."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.transcripts import Transcript, longmemeval_time, read_rows, read_transcripts

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


def read_asked_transcripts(path: Path | str) -> list[AskedTranscript]:
    """Of a LoCoMo or LongMemEval file; one of ChatML has no questions.  Raises: BadRequest."""
    transcripts = read_transcripts(path)
    items, _ = read_rows(Path(path))
    try:
        return [_with_questions(*pair) for pair in zip(transcripts, items, strict=False)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadRequest(f"the questions of {path} are malformed ({type(error).__name__}: {error})") from error


def _with_questions(transcript: Transcript, item: Mapping[str, Any]) -> AskedTranscript:
    questions, notes = list[TranscriptQuestion](), list[Note]()
    if "qa" in item:
        known = {turn.id for turn in transcript.turns}
        questions, notes = _locomo_questions(item, known), _locomo_notes(item, known)
    elif "question" in item:
        questions = [_longmemeval_question(transcript, item)]
    return AskedTranscript(id=transcript.id, turns=transcript.turns, questions=tuple(questions), notes=tuple(notes))


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


def _longmemeval_question(transcript: Transcript, item: Mapping[str, Any]) -> TranscriptQuestion:
    messages = [message for session in item["haystack_sessions"] for message in session]
    return TranscriptQuestion(
        text=item["question"],
        answer=str(item.get("answer", "")),
        category=str(item.get("question_type", "")),
        evidence=tuple(turn.id for turn, message in zip(transcript.turns, messages, strict=True) if message.get("has_answer")),
        asked_at=longmemeval_time(item.get("question_date", "")),
    )
