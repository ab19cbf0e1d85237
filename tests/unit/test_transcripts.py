"""Transcripts of three formats become the same turns; anything else is refused with what was expected."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.transcripts import read_transcripts
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.transcripts import read_chats

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
    (transcript,) = read_chats(write(tmp_path / "chat.jsonl", data))
    assert [(turn.role, turn.text) for turn in transcript.turns] == [("user", "Hi"), ("assistant", "Yes")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("not json", "neither JSON nor JSON Lines"),
        ([{"something": 1}], "each message needs 'role' and 'content'"),
        (
            '[\n{"messages": [{"role": "user", "content": "a"}]},\n{"messages": [{"role": "user"}]}\n]',
            "item 2, message 1: each mess",
        ),
        (
            '[\n {"role": "user", "content": "a"},\n\n {"role": "human", "content": "b"}\n]',
            "item 2: role 'human' is unknown: use",
        ),
        ('{"role": "user", "content": "a"}\n\n{"role": "user", "content": 5}\n', "line 3: 'content' is int: use a text"),
        ('{"role": "user", "content": "a"}\n"b"\n', 'line 2: each message needs .* as in {"role"'),
        ('{"messages": []}\n{"text": "b"}\n', "line 2: dialogue 2 has no list 'messages': write it as"),
        ('{"role": "user", "content": "a", "timestamp": "soon"}\n', "line 1: timestamp 'soon' is not a time: write"),
        ('{"role": "user", "content": "Hi"}\n{"role": ', "line 2"),
    ],
)
def test_another_file_is_refused_with_the_reason(tmp_path: Path, data: Any, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        read_chats(write(tmp_path / "x.json", data))
    with pytest.raises(BadRequest, match="does not exist"):
        read_chats(tmp_path / "missing.json")


HELLO = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello, who are you?"}]
ANN = [*HELLO, {"role": "user", "content": "Ann"}, {"role": "assistant", "content": "Noted"}]
BOB = [{"role": "user", "content": "I am Bob"}, {"role": "assistant", "content": "Noted"}]


def ids(path: Path, data: Any) -> set[str]:
    return {f"{one.id}|{turn.id}" for one in read_chats(write(path, data)) for turn in one.turns}


def dialogues(*found: list[dict[str, str]]) -> str:
    return "".join(json.dumps({"messages": one}) + "\n" for one in found)


def test_the_ids_of_chatml_come_from_the_contents(tmp_path: Path) -> None:
    """Before, two files with the same name had the same ids, and the second was not stored."""
    file = tmp_path / "chat.jsonl"
    two, four, bob = (ids(file, dialogues(one)) for one in (HELLO, ANN, BOB))
    assert ids(file, ANN) == ids(file, json.dumps(ANN, indent=2)) == four == ids(file, dialogues(ANN))
    assert two < four
    assert not four & bob
    assert ids(file, dialogues(ANN, BOB)) == ids(file, dialogues(BOB, ANN)) == four | bob
    assert len(ids(file, dialogues(ANN, ANN))) == 8
    corrected = ids(file, [ANN[0], {**ANN[1], "content": "Hi"}, *ANN[2:]])
    assert len(corrected - four) == 2, "the changed message and the one after it"
    assert len(ids(file, [{"role": "user", "content": "yes"}] * 3)) == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_chat_is_read_in_every_encoding_of_unicode(tmp_path: Path, encoding: str) -> None:
    """PowerShell writes UTF-16 where its output is redirected into a file."""
    file = tmp_path / "chat.json"
    file.write_bytes(json.dumps([{"role": "user", "content": "Ich heiße Jürgen."}], ensure_ascii=False).encode(encoding))
    (transcript,) = read_chats(file)
    assert [turn.text for turn in transcript.turns] == ["Ich heiße Jürgen."]


@pytest.mark.parametrize(
    ("timestamp", "said_at"),
    [
        ("2025-05-07T12:00:00+09:00", "2025-05-07T12:00:00+09:00"),
        (1_700_000_000, "2023-11-14T22:13:20+00:00"),
        (1_700_000_000.5, "2023-11-14T22:13:20.500000+00:00"),
        (1_700_000_000_000, "2023-11-14T22:13:20+00:00"),  # as JavaScript counts
        (0, "1970-01-01T00:00:00+00:00"),
        (None, ""),
        ("", ""),
    ],
)
def test_a_timestamp_is_iso_8601_or_unix_time(tmp_path: Path, timestamp: object, said_at: str) -> None:
    file = write(tmp_path / "chat.json", [{"role": "user", "content": "Hi", "timestamp": timestamp}])
    assert [turn.said_at for one in read_chats(file) for turn in one.turns] == [said_at]
