"""Scripts that answer ``memory-understand`` name lines and entries by their text."""

import json
from typing import Any

from bench.talk.understood import answer_with, read_prompt

PROMPT = """Compare with all entries.
Rules:
R1 (2026-04-02): Answer in at most two sentences
Entries:
F1 (2026-03-01; home): Mara lives in Hamburg
F2 (2026-03-01; home): Mara lives in Hamburg-Altona with Ida
Lines:
[c1] Assistant (2026-05-06, Wednesday): And where to?
[0] Mara (2026-05-06, Wednesday): We've moved! Lüneburg,
right by the water.
[1] Assistant (2026-05-06, Wednesday): Lovely.
"""


def answered(*items: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(answer_with(items, PROMPT))["items"]
    return found


def test_lines_and_entries_of_a_prompt_are_read() -> None:
    shown = read_prompt(PROMPT)
    assert shown.lines == {"0": "we've moved! lüneburg, right by the water.", "1": "lovely."}
    assert shown.older == {"c1": "and where to?"}
    assert list(shown.entries) == ["R1", "F1", "F2"]
    assert shown.entries["F1"] == "mara lives in hamburg"


def test_what_an_item_names_gets_the_names_of_the_prompt() -> None:
    (item,) = answered(
        {
            "op": "replace",
            "old": ["Mara lives in Hamburg"],
            "text": "Mara lives in Lüneburg",
            "line": "Lüneburg",
            "context": "where to",
        }
    )
    assert (item["op"], item["old"], item["line"], item["context"]) == ("replace", ["F1"], 0, "c1")
    assert (item["quote"], item["kind"], item["weight"]) == ("Lüneburg", "state", 2)


def test_what_the_prompt_does_not_show_is_left_out() -> None:
    assert answered({"text": "x", "line": "another window"}) == []
    assert answered({"op": "end", "old": ["Mara has a boat"], "line": "moved"}) == []
    (added,) = answered({"op": "replace", "old": ["Mara has a boat"], "text": "Mara has a canoe", "line": "moved"})
    assert (added["op"], added["old"]) == ("add", [])


def test_a_name_stands_for_itself() -> None:
    (item,) = answered({"op": "end", "old": ["F99"], "line": "moved"})
    assert item["old"] == ["F99"]
