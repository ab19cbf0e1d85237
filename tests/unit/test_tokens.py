"""The number of tokens: never below what the local model counts, and not far above."""

import json
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from trustgraph_react_mem.memory import tokens as counting
from trustgraph_react_mem.memory.tokens import count_tokens, cut_to_tokens, shorten

# Texts with the number of tokens that the tokenizer of Qwen 2.5 counts, which composes a text first (Unicode NFC).
ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "token_counts.json").read_text("utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[row["class"] for row in ROWS])
def test_the_count_is_never_below_and_at_most_a_tenth_above(row: dict[str, Any]) -> None:
    assert 1.0 <= count_tokens(row["text"]) / row["tokens"] <= 1.1


# The pattern that Qwen publishes, with Unicode's classes, and merges of bytes alone.
_SPLIT = pre_tokenizers.Split(
    Regex(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"),
    "isolated",
)


def reference(text: str) -> int:
    return sum(_merged(piece.encode()) for piece, _ in _SPLIT.pre_tokenize_str(text))


def _merged(piece: bytes) -> int:
    ranks = counting._ranks()
    parts = [piece[place : place + 1] for place in range(len(piece))]
    while len(parts) > 1 and piece not in ranks:
        rank, at = min((ranks.get(parts[at] + parts[at + 1], 1 << 30), at) for at in range(len(parts) - 1))
        if rank == 1 << 30:
            return len(parts)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return 1


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@example("⁴⁴⁴⁴ ½½½ Ⅳ ⑦⑦ १२ ²³")
@example("\u0958 \u0959\u0959\u0959 \u09dc \u0a33\u0a33 \u0344")
@example("壬 壬壬壬壬 送送 송송송송 퀠퀠퀠퀠 \ud0a4\ud0a4\ud0a4\ud0a4")
@example(unicodedata.normalize("NFD", "Việt Nam 안녕하세요 Škoda"))
def test_the_count_is_that_of_the_published_tokenizer_and_its_margin(text: str) -> None:
    counted = reference(unicodedata.normalize("NFC", text))  # it composes the text first
    assert counted <= count_tokens(text) <= counted * 1.1 + 0.5


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["word ", "a1", "{", "字", "\n", "🎉", "= ", "aB3+", "é"])
def test_the_count_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * size
        return min(_time(lambda: count_tokens(text)) for _ in range(3))

    assert seconds(200_000) < 8 * seconds(50_000) + 0.01


def _time(call: Any) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


@given(st.text(max_size=400), st.integers(0, 60))
def test_a_cut_text_fits(text: str, tokens: int) -> None:
    cut = cut_to_tokens(text, tokens)
    assert count_tokens(cut) <= tokens
    assert cut == text or len(cut) < len(text) or count_tokens(text) > tokens


@given(st.text(max_size=200), st.integers(0, 80))
def test_a_shortened_text_keeps_its_ends(text: str, characters: int) -> None:
    short = shorten(text, characters)
    assert len(short) <= max(characters, 0) or short == text
    assert text.startswith(short[: characters // 3])
