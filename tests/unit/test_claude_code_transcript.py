"""Transcripts of Claude Code sessions that hold unusual text."""

import json
import runpy
import time
from pathlib import Path

PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"
read_transcript = runpy.run_path(str(PLUGIN / "hooks" / "memory.py"))["read_transcript"]


def write(path: Path, *texts: str) -> Path:
    lines = [
        {"type": "user", "uuid": f"u{place}", "message": {"role": "user", "content": text}} for place, text in enumerate(texts)
    ]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return path


def test_line_separators_in_a_message_do_not_cut_it(tmp_path: Path) -> None:
    texts = ["one\u2028two", "one\u0085two", "one\x0btwo"]
    assert [message.text for message in read_transcript(write(tmp_path / "t.jsonl", *texts))] == texts


def test_reminders_that_are_never_closed_take_linear_time(tmp_path: Path) -> None:
    def took(number: int) -> float:
        path = write(tmp_path / "t.jsonl", "<system-reminder>" * number + "Hello")
        started = time.perf_counter()
        assert read_transcript(path)
        return time.perf_counter() - started

    took(100)
    assert took(20_000) < 100 * max(took(1_000), 0.001)


def test_what_the_program_added_is_left_out(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.jsonl", "<ide_selection>x</ide_selection>Mend <b>it</b><system-reminder>be kind</system-reminder>"
    )
    assert [message.text for message in read_transcript(path)] == ["Mend <b>it</b>"]
