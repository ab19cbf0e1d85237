"""The number of tokens: an estimate that errs upwards, and the tokenizer of a local model."""

import json
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.tokens import count_tokens, cut_to_tokens, estimate_tokens, shorten, use_tokenizer
from trustgraph_react_mem.models.gguf import read_metadata, tokenizer_of

# Texts with the number of tokens that the tokenizer of Qwen 2.5 counts.
ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "token_counts.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def no_tokenizer() -> Iterator[None]:
    yield
    use_tokenizer(None)


@pytest.mark.parametrize("row", ROWS, ids=[row["class"] for row in ROWS])
def test_the_estimate_is_never_much_below_and_not_far_above(row: dict[str, Any]) -> None:
    ratio = estimate_tokens(row["text"]) / row["tokens"]
    assert 0.98 <= ratio <= 1.4


def test_the_estimate_is_right_within_a_tenth_on_average() -> None:
    ratios = [estimate_tokens(row["text"]) / row["tokens"] for row in ROWS]
    assert 1.0 <= sum(ratios) / len(ratios) <= 1.12


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["word ", "a1", "{", "字", "\n", "🎉", "= ", "aB3+", "é"])
def test_the_estimate_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * size
        return min(_time(lambda: estimate_tokens(text)) for _ in range(3))

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


def test_a_long_text_is_cut_in_bounded_time() -> None:
    assert _time(lambda: cut_to_tokens("word " * 1_000_000, 200)) < 1


def test_a_tokenizer_is_used_while_it_is_set() -> None:
    use_tokenizer(len)
    assert count_tokens("abc def") == 7
    use_tokenizer(None)
    assert count_tokens("abc def") == estimate_tokens("abc def")


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _array(values: list[str]) -> bytes:
    return struct.pack("<IQ", 8, len(values)) + b"".join(map(_text, values))


def write_gguf(path: Path, *, pre: str = "qwen2") -> Path:
    """A model file with a tokenizer of five entries and no weights."""
    pairs = [
        ("tokenizer.ggml.model", 8, _text("gpt2")),
        ("tokenizer.ggml.pre", 8, _text(pre)),
        ("tokenizer.ggml.tokens", 9, _array(["a", "b", "ab", "Ġ", "Ġab"])),
        ("tokenizer.ggml.merges", 9, _array(["a b", "Ġ ab"])),
        ("qwen2.block_count", 4, struct.pack("<I", 28)),
    ]
    body = b"".join(_text(key) + struct.pack("<I", kind) + value for key, kind, value in pairs)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + body)
    return path


def test_the_tokenizer_of_a_model_file_is_read_and_kept(tmp_path: Path) -> None:
    model = write_gguf(tmp_path / "model.gguf")
    assert read_metadata(model)["qwen2.block_count"] == 28
    for _ in range(2):  # out of the model, then out of the file beside it
        count = tokenizer_of(model)
        assert count is not None
        assert count("ab ab b") == 4
    assert (tmp_path / "tokenizer.json").is_file()


@pytest.mark.parametrize("content", [b"", b"GGUF", b"not a model at all", b"GGUF" + struct.pack("<IQQ", 3, 0, 9)])
def test_a_damaged_model_file_leaves_the_estimate(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    assert tokenizer_of(path) is None


def test_an_unknown_tokenizer_leaves_the_estimate(tmp_path: Path) -> None:
    assert tokenizer_of(write_gguf(tmp_path / "model.gguf", pre="other")) is None
