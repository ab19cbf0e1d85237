"""Transcripts of three formats become the same turns; anything else is refused with what was expected."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.transcripts import read_asked_transcripts
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.transcripts import read_transcripts

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_2_date_time": "1:14 pm on 25 May, 2023",
            "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "Look", "blip_caption": "a red bicycle"}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi Bob"}],
        },
        "qa": [
            {"question": "Who?", "answer": 3, "category": 4, "evidence": ["D1:1; D2:01", "D9:9"]},
            {"question": "What?", "category": 5, "evidence": []},
        ],
        "observation": {"session_1_observation": {"Ann": [["Ann greeted Bob.", "D1:1"]]}},
    }
]
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What is my dog called?",
        "answer": "Rex",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [
            [{"role": "user", "content": "My dog Rex", "has_answer": True}, {"role": "assistant", "content": "Nice"}]
        ],
    }
]


def write(path: Path, data: Any) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_locomo_gives_turns_in_the_order_of_sessions(tmp_path: Path) -> None:
    (transcript,) = read_transcripts(write(tmp_path / "l.json", LOCOMO))
    assert [(turn.id, turn.speaker, turn.session) for turn in transcript.turns] == [
        ("D1:1", "Ann", "session_1"),
        ("D2:1", "Bob", "session_2"),
    ]
    assert transcript.turns[0].said_at == "2023-05-08T13:56:00+00:00"
    assert transcript.turns[1].text == "Look [shared a red bicycle]"


def test_locomo_gives_questions_whose_evidence_exists(tmp_path: Path) -> None:
    (transcript,) = read_asked_transcripts(write(tmp_path / "l.json", LOCOMO))
    assert [question.evidence for question in transcript.questions] == [("D1:1", "D2:1"), ()]
    assert transcript.questions[0].answer == "3"
    assert transcript.notes[0].turn_ids == ("D1:1",)


def test_longmemeval_gives_sessions_with_dates(tmp_path: Path) -> None:
    (transcript,) = read_transcripts(write(tmp_path / "m.json", LONGMEMEVAL))
    assert [(turn.speaker, turn.text) for turn in transcript.turns] == [("User", "My dog Rex"), ("Assistant", "Nice")]
    assert transcript.turns[0].said_at == "2023-05-20T02:21:00+00:00"


def test_longmemeval_gives_one_question(tmp_path: Path) -> None:
    (transcript,) = read_asked_transcripts(write(tmp_path / "m.json", LONGMEMEVAL))
    assert transcript.questions[0].evidence == ("s1:0",)
    assert transcript.questions[0].asked_at == "2023-05-30T23:40:00+00:00"


@pytest.mark.parametrize(
    "data",
    [
        {
            "messages": [
                {"role": "system", "content": "x"},
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Yes"},
            ]
        },
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]}],
        '{"role": "user", "content": "Hi"}\n{"role": "assistant", "content": "Yes"}\n',
    ],
)
def test_chatml_in_its_forms(tmp_path: Path, data: Any) -> None:
    (transcript,) = read_transcripts(write(tmp_path / "chat.jsonl", data))
    assert [(turn.role, turn.text) for turn in transcript.turns] == [("user", "Hi"), ("assistant", "Yes")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("not json", "neither JSON nor JSON Lines"),
        ([{"something": 1}], "neither LoCoMo"),
        ([], "neither LoCoMo"),
        ([{**LOCOMO[0], "conversation": {"session_1": [{"speaker": "Ann"}]}}], "malformed"),
        ('{"role": "user", "content": "Hi"}\n{"role": ', "line 2"),
    ],
)
def test_another_file_is_refused_with_the_reason(tmp_path: Path, data: Any, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        read_transcripts(write(tmp_path / "x.json", data))
    with pytest.raises(BadRequest, match="does not exist"):
        read_transcripts(tmp_path / "missing.json")
