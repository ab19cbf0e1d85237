"""The table of texts to screen: what must go goes, and ordinary text stays as it is.

Patterns are written on one half of the forms and scored on the other, and on the whole table.
"""

import csv
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.text.visible import visible

TABLE = Path(__file__).parent / "data" / "screening.tsv"
REDACT = DataPolicy(personal_data="redact")
_BETWEEN = " ␟ "  # between the parts of a row that must go
_SPLIT = "{+}"  # stands within tokens of known formats, so that scanners of repositories pass over them
_ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|n|\\)")


@dataclass(frozen=True)
class Row:
    form: str
    text: str
    gone: tuple[str, ...]

    @property
    def scored(self) -> bool:
        return hashlib.sha256(self.form.encode()).digest()[0] % 2 == 1


def _plain(cell: str) -> str:
    def letter(match: re.Match[str]) -> str:
        return {"n": "\n", "\\": "\\"}.get(match[1]) or chr(int(match[1][1:], 16))

    return _ESCAPE.sub(letter, cell.replace(_SPLIT, ""))


def read_table(wanted: str) -> list[Row]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Row(form, _plain(text), tuple(_plain(part) for part in gone.split(_BETWEEN) if part))
            for kind, form, text, gone in rows
            if kind == wanted
        ]


def is_clean(row: Row) -> bool:
    """Whether no part that must go is left, nor a word of it that the text says nowhere else."""
    kept = visible(REDACT.screen(row.text).text).text
    for part in (visible(gone).text for gone in row.gone):
        words = [word for word in part.split() if len(word) > 3]
        if part in kept or any(word in kept for word in words if visible(row.text).text.count(word) == 1):
            return False
    return True


def is_unchanged(row: Row) -> bool:
    return REDACT.screen(row.text).text == row.text


def missed(rows: Sequence[Row], right: Callable[[Row], bool]) -> list[Row]:
    return [row for row in rows if not right(row)]


@pytest.mark.parametrize("half", ["scored", "all"])
@pytest.mark.parametrize(
    ("kind", "right", "least"),
    [("secret", is_clean, 0.97), ("personal", is_clean, 0.90), ("ordinary", is_unchanged, 0.99)],
    ids=["secret", "personal", "ordinary"],
)
def test_share_that_is_right(kind: str, right: Callable[[Row], bool], least: float, half: str) -> None:
    rows = [row for row in read_table(kind) if half == "all" or row.scored]
    wrong = missed(rows, right)
    for row in wrong:
        print(f"{kind} {row.form}: {row.text!r} -> {REDACT.screen(row.text).text!r}")
    share = 1 - len(wrong) / len(rows)
    print(f"{kind}, {half}: {len(rows) - len(wrong)} of {len(rows)}, {share:.1%}")
    assert share >= least


def test_the_table_is_large_enough() -> None:
    assert [len(read_table(kind)) >= least for kind, least in (("secret", 200), ("personal", 100), ("ordinary", 200))] == [
        True
    ] * 3
