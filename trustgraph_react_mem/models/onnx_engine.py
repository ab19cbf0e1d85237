"""Loads the ONNX engine without its telemetry.

From version 1.29 on, onnxruntime sends telemetry about each model to its maker, unless that is switched off before it is loaded
(docs/Privacy.md of onnxruntime).
"""

import os
from typing import Any


def load_onnxruntime() -> Any:
    """The module ``onnxruntime``.  ``ORT_DISABLE_TELEMETRY=0`` in the environment leaves its telemetry on.

    Raises: ImportError (not installed).
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    if os.environ["ORT_DISABLE_TELEMETRY"] != "0":
        onnxruntime.disable_telemetry_events()
    return onnxruntime
