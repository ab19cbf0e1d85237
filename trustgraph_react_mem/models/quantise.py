"""Create the int8 form of an ONNX embedding model: half the time, a quarter of the size.  Runs in its own process.

The form is kept if the vectors of a few sentences stay close to those of the full model.  The verdict is stored beside it, so
that this happens once.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import numpy as np

from .onnx_engine import load_onnxruntime

FORM_NAME = "model.int8.onnx"
REPORT_NAME = "model.int8.json"
LEAST_COSINE = 0.99

SENTENCES = (
    "query: When does the ferry to the island leave on Sundays?",
    "passage: Ines: my brother repaired the old rowing boat, and we painted it blue last weekend.",
    "The invoice of 14 March has not been paid, and the second reminder went out on Friday.",
    "El tren de las siete llega siempre tarde cuando llueve.",
    "Der Server antwortet nicht, obwohl der Dienst läuft.",
    "def parse(text): return json.loads(text)",
    "yes",
    "She moved to Lisbon in 2019, works as a nurse at the children's hospital, has two cats and is allergic to peanuts; her "
    "brother, who still lives in Oslo, visits every summer and they go sailing along the coast for a week or two.",
)


def find_quantised(folder: Path) -> Path | None:
    """The stored int8 form, if it was accepted."""
    form, report = folder / FORM_NAME, folder / REPORT_NAME
    try:
        kept = bool(json.loads(report.read_text(encoding="utf-8"))["kept"])
    except (OSError, ValueError, KeyError):
        return None
    return form if kept and form.exists() else None


def quantise(folder: Path, *, least_cosine: float = LEAST_COSINE) -> float:
    """Create the form and write the verdict.  Returns the lowest cosine between the vectors of both forms.

    Raises: ImportError (``onnx`` is not installed; the full model is used then).
    """
    load_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    draft = folder / f"{FORM_NAME}.{os.getpid()}"
    quantize_dynamic(str(folder / "model.onnx"), str(draft), per_channel=True, weight_type=QuantType.QInt8)
    full = _embed(folder / "model.onnx", folder / "tokenizer.json")
    small = _embed(draft, folder / "tokenizer.json")
    lowest = float((full * small).sum(axis=1).min())
    if lowest >= least_cosine:
        os.replace(draft, folder / FORM_NAME)
    else:
        draft.unlink()
    verdict = folder / f"{REPORT_NAME}.{os.getpid()}"
    verdict.write_text(json.dumps({"kept": lowest >= least_cosine, "lowest_cosine": round(lowest, 4)}), encoding="utf-8")
    os.replace(verdict, folder / REPORT_NAME)
    return lowest


def _embed(model: Path, tokenizer: Path) -> np.ndarray:
    from ..memory.embedding import EmbeddingProfile
    from .onnx_embedder import OnnxEmbedder

    onnxruntime = load_onnxruntime()
    dimension = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"]).get_outputs()[0].shape[-1]
    embedder = OnnxEmbedder(EmbeddingProfile(name="form", dimension=int(dimension)), model, tokenizer)
    return asyncio.run(embedder.vectors(SENTENCES))


if __name__ == "__main__":
    quantise(Path(sys.argv[1]))
