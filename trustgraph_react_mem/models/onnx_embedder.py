"""Sentence embeddings by ONNX Runtime on the CPU.

- Each run of the model uses one core; several texts use several cores by several runs.  A question that arrives during an
  import does not wait for a batch: it runs beside it, in separate threads.
- A batch holds texts of similar length and a bounded number of tokens, which also bounds the memory.
- The int8 form is created once, in a separate process (it takes 700 MB for seconds), and kept only if its vectors match those
  of the full model.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConfigurationError, ModelUnavailable
from ..memory.embedding import PROFILES, EmbeddingProfile
from ..memory.ports import Matrix
from .catalogue import ModelEntry
from .onnx_engine import load_onnxruntime
from .quantise import REPORT_NAME, find_quantised

logger = logging.getLogger(__name__)

LONGEST_TOKENS = 512
BATCH_TOKENS = 2048  # padded tokens per run: about 30 ms
BATCH_TEXTS = 32
RUN_TOKENS = 8  # fixed cost of a run, in tokens
AT_ONCE = 4  # up to this many texts are a question, not an import
QUANTISE_S = 120.0


class OnnxEmbedder:
    """Mean of the last layer over the non-padding tokens, scaled to unit length."""

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
        self._questions = ThreadPoolExecutor(max_workers=self._cores, thread_name_prefix="embed-question")
        self._banks = ThreadPoolExecutor(max_workers=self._cores, thread_name_prefix="embed-bank")

    @classmethod
    async def open(cls, entry: ModelEntry, folder: Path) -> "OnnxEmbedder":
        model = folder / "model.onnx"
        if entry.quantise:
            model = await _ensure_quantised(folder) or model
        return await asyncio.to_thread(cls, PROFILES[entry.profile], model, folder / "tokenizer.json")

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        loop = asyncio.get_running_loop()
        if len(texts) <= AT_ONCE:
            return await loop.run_in_executor(self._questions, self._together, list(texts))
        encoded = await loop.run_in_executor(self._banks, self._tokenizer.encode_batch, list(texts))
        result = np.empty((len(texts), self.profile.dimension), dtype=np.float32)
        batches = iter(list(_batches([len(one.ids) for one in encoded])))

        # Each call queues at most one batch per core, so that several imports share the cores.
        async def work() -> None:
            for rows in batches:
                result[rows] = await loop.run_in_executor(self._banks, self._run, [encoded[row] for row in rows])

        async with asyncio.TaskGroup() as group:
            for _ in range(self._cores):
                group.create_task(work())
        return result

    def _together(self, texts: list[str]) -> Matrix:
        result = np.empty((len(texts), self.profile.dimension), dtype=np.float32)
        encoded = self._tokenizer.encode_batch(texts)
        for rows in _batches([len(one.ids) for one in encoded]):
            result[rows] = self._run([encoded[row] for row in rows])
        return result

    def _run(self, encoded: Sequence[Any]) -> Matrix:
        longest = max(len(one.ids) for one in encoded)
        ids = np.zeros((len(encoded), longest), dtype=np.int64)
        mask = np.zeros((len(encoded), longest), dtype=np.int64)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {name: given[name] for name in given if name in self._inputs})[0]
        weights = mask[:, :, None].astype(np.float32)
        means = (states * weights).sum(axis=1) / weights.sum(axis=1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return np.asarray(means / np.maximum(lengths, 1e-12), dtype=np.float32)

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


async def _ensure_quantised(folder: Path) -> Path | None:
    """Path of the int8 form, or None if the full model is to be used."""
    form = find_quantised(folder)
    if form is not None or (folder / REPORT_NAME).exists():
        return form
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "trustgraph_react_mem.models.quantise",
        str(folder),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.wait_for(process.wait(), QUANTISE_S)
    except TimeoutError:
        logger.warning("timeout while quantising %s after %s s; using the full model", folder, QUANTISE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return find_quantised(folder)
