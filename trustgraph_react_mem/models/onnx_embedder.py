"""Sentence embeddings by ONNX Runtime on the CPU.

- Each run of the model uses one core; several texts use several cores by several runs.  A question, which is a single text,
  does not wait for recorded turns and imports: it runs beside them, in separate threads.
- The parts of a recall embed the same question at the same time.  It is embedded once.
- A batch holds texts of similar length and a bounded number of tokens, which also bounds the memory.
"""

import asyncio
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigurationError, ModelUnavailable
from ..memory.embedding import PROFILES, EmbeddingProfile
from ..memory.ports import Matrix, Signs, Vector
from .calibration import SENTENCES
from .catalogue import ModelEntry
from .embedding_model import EmbeddingModel, Role
from .quantise import find_quantised

LONGEST_TOKENS = 512
BATCH_TOKENS = 2048  # padded tokens per run: about 30 ms
BATCH_TEXTS = 32
RUN_TOKENS = 8  # fixed cost of a run, in tokens
FEW = 4  # up to this many texts, such as those of a recorded turn, are embedded by one core
KEPT = 64  # questions whose vector and tokens are kept
_NO_SIGNS: Signs = np.zeros((0, 0), np.uint64)


def load_onnxruntime() -> Any:
    """The module ``onnxruntime``.  From version 1.29 on it sends telemetry about each model to its maker, unless that is off.

    ``ORT_DISABLE_TELEMETRY=0`` in the environment leaves it on.  Raises: ImportError (not installed).
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # before it is loaded
    import onnxruntime

    if os.environ["ORT_DISABLE_TELEMETRY"] != "0":
        onnxruntime.disable_telemetry_events()
    return onnxruntime


class OnnxEmbedder(EmbeddingModel):
    """Mean of the last layer over the non-padding tokens, scaled to unit length.  Also a ``TokenEmbedder``."""

    def __init__(self, profile: EmbeddingProfile, model: Path, tokenizer: Path, *, cores: int = 0) -> None:
        """Raises: ConfigurationError (engine missing, wrong dimension), ModelUnavailable (unreadable files)."""
        from tokenizers import Tokenizer

        onnxruntime = load_onnxruntime()

        self.profile = profile
        self.where = f"in this process ({'int8' if 'int8' in model.name else 'as published'})"
        self._cores = cores or min(4, os.cpu_count() or 1)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._tokenizer = Tokenizer.from_file(str(tokenizer))
        except Exception as error:  # both libraries raise bare Exceptions of their own
            raise ModelUnavailable(
                f"failed to load {model.parent} ({type(error).__name__}): delete the folder to download it again"
            ) from None
        self._tokenizer.enable_truncation(LONGEST_TOKENS)
        self._tokenizer.no_padding()
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        dimension = self._session.get_outputs()[0].shape[-1]
        if isinstance(dimension, int) and dimension != profile.dimension:
            raise ConfigurationError(f"{profile.name} has {profile.dimension} dimensions, {model} gives {dimension}")
        self._mean: Vector | None = None
        self._recent: dict[str, asyncio.Task[tuple[Matrix, list[Signs]]]] = {}
        marks = list(self._tokenizer.encode("").ids)
        self._marks = len(marks) // 2  # tokens at the start of each text, and as many at its end
        prefixes = {profile.query_prefix, profile.passage_prefix} - {""}
        read = [self._tokenizer.encode(prefix, add_special_tokens=False).ids for prefix in prefixes]
        self._prefixes = [[*marks[: self._marks], *ids] for ids in read]
        self._questions = ThreadPoolExecutor(max_workers=self._cores, thread_name_prefix="embed-question")
        self._banks = ThreadPoolExecutor(max_workers=self._cores, thread_name_prefix="embed-bank")

    @classmethod
    async def open(cls, entry: ModelEntry, folder: Path) -> "OnnxEmbedder":
        profile = PROFILES[entry.profile]
        small = await find_quantised(folder, profile) if entry.quantise else None
        return await asyncio.to_thread(cls, profile, small or folder / "model.onnx", folder / "tokenizer.json")

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        # Once tokens have been asked for, a question's are computed with its vector: recall asks for both.
        tokens = self._mean is not None and len(texts) == 1
        return (await (self.vectors_and_tokens(texts) if tokens else self._embed(texts, tokens=False)))[0]

    async def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Signs]]:
        return await self.vectors_and_tokens(self.add_prefix(texts, role))

    async def vectors_and_tokens(self, texts: Sequence[str]) -> tuple[Matrix, list[Signs]]:
        """As ``vectors``, and the signs of the tokens of each text after the profile's prefix ."""
        if self._mean is None:
            self._mean = await asyncio.get_running_loop().run_in_executor(self._questions, self._mean_token)
        if len(texts) != 1:
            return await self._embed(texts, tokens=True)
        (text,) = texts
        if text not in self._recent:
            task = self._recent[text] = asyncio.create_task(self._embed(texts, tokens=True))
            task.add_done_callback(partial(self._forget_failed, text))
            while len(self._recent) > KEPT:
                del self._recent[next(iter(self._recent))]
        # Shielded because other callers may wait for the same text.
        vectors, signs = await asyncio.shield(self._recent[text])
        return vectors.copy(), list(signs)

    def _forget_failed(self, text: str, task: asyncio.Task[tuple[Matrix, list[Signs]]]) -> None:
        if (task.cancelled() or task.exception() is not None) and self._recent.get(text) is task:
            del self._recent[text]

    async def _embed(self, texts: Sequence[str], *, tokens: bool) -> tuple[Matrix, list[Signs]]:
        loop = asyncio.get_running_loop()
        result = np.empty((len(texts), self.profile.dimension), dtype=np.float32)
        signs: list[Signs] | None = [_NO_SIGNS] * len(texts) if tokens else None
        if len(texts) <= FEW:
            pool = self._questions if len(texts) == 1 else self._banks
            await loop.run_in_executor(pool, self._together, list(texts), result, signs)
            return result, signs or []
        encoded = await loop.run_in_executor(self._banks, self._tokenizer.encode_batch, list(texts))
        batches = iter(list(_batches([len(one.ids) for one in encoded])))

        # Each call queues at most one batch per core, so that several imports share the cores.
        async def work() -> None:
            for rows in batches:
                await loop.run_in_executor(self._banks, self._run, encoded, rows, result, signs)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._cores):
                group.create_task(work())
        return result, signs or []

    def _together(self, texts: list[str], result: Matrix, signs: list[Signs] | None) -> None:
        encoded = self._tokenizer.encode_batch(texts)
        for rows in _batches([len(one.ids) for one in encoded]):
            self._run(encoded, rows, result, signs)

    def _mean_token(self) -> Vector:
        """Mean vector of a token (d,).  All tokens of a model have a large part in common, which says nothing."""
        encoded = self._tokenizer.encode_batch([self.profile.passage_prefix + text for text in SENTENCES])
        total = np.zeros(self.profile.dimension, np.float64)
        for rows in _batches([len(one.ids) for one in encoded]):
            states, mask = self._states([encoded[row] for row in rows])
            total += (states * mask[:, :, None]).sum(axis=(0, 1), dtype=np.float64)
        return np.asarray(total / sum(len(one.ids) for one in encoded), np.float32)

    def _run(self, encoded: Sequence[Any], rows: Sequence[int], result: Matrix, signs: list[Signs] | None) -> None:
        """Fill the ``rows`` of ``result`` and of ``signs``, if wanted."""
        states, mask = self._states([encoded[row] for row in rows])
        weights = mask[:, :, None].astype(np.float32)
        means = (states * weights).sum(axis=1) / weights.sum(axis=1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        result[list(rows)] = means / np.maximum(lengths, 1e-12)
        if signs is None or self._mean is None:
            return
        for place, row in enumerate(rows):
            ids = encoded[row].ids
            said = states[place, self._prefix_tokens(ids) : len(ids) - self._marks]
            signs[row] = np.packbits(said > self._mean, axis=1).view(np.uint64)

    def _prefix_tokens(self, ids: Sequence[int]) -> int:
        """Number of tokens that mark the start of a text or belong to the profile's prefix."""
        return max((len(prefix) for prefix in self._prefixes if list(ids[: len(prefix)]) == prefix), default=self._marks)

    def _states(self, encoded: Sequence[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """(n, t, d) token vectors of the last layer, and the (n, t) mask of those that are not padding."""
        longest = max(len(one.ids) for one in encoded)
        ids = np.zeros((len(encoded), longest), dtype=np.int64)
        mask = np.zeros((len(encoded), longest), dtype=np.int64)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {name: given[name] for name in given if name in self._inputs})[0]
        return states, mask

    async def close(self) -> None:
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._banks.shutdown(wait=False, cancel_futures=True)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of about the same length; rows times the longest stays within BATCH_TOKENS.

    A longer row joins where making the others as long costs less than a run of its own.
    """
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        full = len(batch) == BATCH_TEXTS or (len(batch) + 1) * lengths[row] > BATCH_TOKENS
        if batch and (full or len(batch) * (lengths[row] - lengths[batch[-1]]) > RUN_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
