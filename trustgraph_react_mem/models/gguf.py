"""Reads the tokenizer of a GGUF model file, to count tokens as the model does.

Source: GGUF specification, version 3; the splitting pattern is the one that Qwen 2 publishes with its tokenizer.
"""

import logging
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from ..failure_log import describe_error

logger = logging.getLogger(__name__)

MAGIC = b"GGUF"
CACHE = "tokenizer.json"
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_PATTERNS = {
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
}


def tokenizer_of(path: Path) -> Callable[[str], int] | None:
    """Counts tokens as the model in ``path`` does.  None: tokens must be estimated.

    The tokenizer is kept beside the model, because reading it out of the model takes seconds.
    """
    try:
        import tokenizers
    except ImportError:
        return None
    cache = path.with_name(CACHE)
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(cache)) if cache.is_file() else _build(path, tokenizers)
        if not cache.is_file() and tokenizer is not None:
            draft = cache.with_suffix(".new")
            tokenizer.save(str(draft))
            draft.replace(cache)
    except Exception as error:  # the library raises plain Exception; an estimate is good enough
        logger.warning("reading the tokenizer of %s failed, tokens are estimated: %s", path.name, describe_error(error))
        return None
    return None if tokenizer is None else lambda text: len(tokenizer.encode(text).ids)


def _build(path: Path, tokenizers: Any) -> Any:
    metadata = read_metadata(path)
    pattern = _PATTERNS.get(str(metadata.get("tokenizer.ggml.pre")))
    if pattern is None or metadata.get("tokenizer.ggml.model") != "gpt2":
        return None
    tokens, merges = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.merges"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, [tuple(merge.split(" ")) for merge in merges]))
    split = tokenizers.pre_tokenizers
    tokenizer.pre_tokenizer = split.Sequence(
        [split.Split(tokenizers.Regex(pattern), "isolated"), split.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return tokenizer


def read_metadata(path: Path) -> dict[str, Any]:
    """The key-value part of a GGUF file.  Raises: ValueError (not a GGUF file), struct.error (cut off)."""
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise ValueError(f"{path.name} is not a GGUF file")
        _, _, pairs = struct.unpack("<IQQ", file.read(20))
        metadata = {}
        for _ in range(pairs):
            key = _read(file, _STRING)
            metadata[key] = _read(file, _number(file, "I"))
        return metadata


def _read(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return file.read(_number(file, "Q")).decode("utf-8", "replace")
    if kind == _ARRAY:
        element, size = _number(file, "I"), _number(file, "Q")
        return [_read(file, element) for _ in range(size)]
    return _number(file, _NUMBERS[kind])


def _number(file: BinaryIO, code: str) -> Any:
    return struct.unpack(f"<{code}", file.read(struct.calcsize(f"<{code}")))[0]
