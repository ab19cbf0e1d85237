"""The int8 form of an ONNX embedding model: half the time, a quarter of the size.

It is created once, in a process of its own (it takes 700 MB for seconds), and kept if the vectors of a few sentences stay close
to those of the full model.  A report beside it says so, or why there is none.
"""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

from ..memory.embedding import PROFILES, EmbeddingProfile
from .calibration import SENTENCES

logger = logging.getLogger(__name__)

FORM_NAME = "model.int8.onnx"
REPORT_NAME = "model.int8.json"
LEAST_COSINE = 0.99
QUANTISE_S = 120.0


async def find_quantised(folder: Path, profile: EmbeddingProfile) -> Path | None:
    """Path of the int8 form, which is created if necessary, or None if the full model is to be used."""
    form = folder / FORM_NAME
    if not form.exists() and not (folder / REPORT_NAME).exists():
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __name__, str(folder), profile.name),
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
    return form if form.exists() else None


def quantise(folder: Path, profile: EmbeddingProfile, *, least_cosine: float = LEAST_COSINE) -> float:
    """Create the form and the report.  Returns the lowest cosine between the vectors of both forms.

    Raises: ImportError (``onnx`` is not installed; the full model is used then).
    """
    from .onnx_embedder import OnnxEmbedder, load_onnxruntime

    load_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    draft = folder / f"{FORM_NAME}.{os.getpid()}"
    quantize_dynamic(str(folder / "model.onnx"), str(draft), per_channel=True, weight_type=QuantType.QInt8)
    forms = [OnnxEmbedder(profile, path, folder / "tokenizer.json") for path in (folder / "model.onnx", draft)]
    full, small = (asyncio.run(form.vectors(SENTENCES)) for form in forms)
    lowest = float((full * small).sum(axis=1).min())
    if kept := lowest >= least_cosine:
        os.replace(draft, folder / FORM_NAME)
    else:
        draft.unlink()
    (folder / REPORT_NAME).write_text(json.dumps({"kept": kept, "lowest_cosine": round(lowest, 4)}), encoding="utf-8")
    return lowest


if __name__ == "__main__":
    quantise(Path(sys.argv[1]), PROFILES[sys.argv[2]])
