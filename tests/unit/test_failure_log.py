"""Logs name what failed and why, and never hold what a person wrote."""

import ast
import logging
from pathlib import Path

import pytest

from trustgraph_react_mem.failure_log import log_failure

PACKAGE = Path(__file__).parents[2] / "trustgraph_react_mem"
CANARY = "Qzx7731 lives in Oslo"


def formatted(caplog: pytest.LogCaptureFixture) -> str:
    """With tracebacks, as a handler writes them."""
    return "\n".join(logging.Formatter().format(record) for record in caplog.records)


def test_a_failure_is_logged_with_its_class_and_place_and_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    try:
        try:
            int(CANARY)
        except ValueError as error:
            raise RuntimeError(f"cannot read {CANARY}") from error
    except RuntimeError:
        log_failure(logging.getLogger("test"), "reading the answer to prompt %s failed", "memory-profile")
    text = formatted(caplog)
    assert "reading the answer to prompt memory-profile failed: RuntimeError" in text
    assert "test_failure_log.py:" in text
    assert "Qzx7731" not in text


def test_the_cause_of_the_system_is_named(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise OSError(28, "No space left on device", CANARY)
    except OSError:
        log_failure(logging.getLogger("test"), "saving failed")
    assert "OSError (No space left on device)" in formatted(caplog)
    assert "Qzx7731" not in formatted(caplog)


def test_no_log_above_debug_holds_a_traceback_or_hides_its_cause() -> None:
    """Tracebacks end with the text of the error.  TrustGraph's log format drops ``extra``."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if not (isinstance(node.func.value, ast.Name) and node.func.value.id in ("logger", "logging")):
                continue
            names = {keyword.arg for keyword in node.keywords}
            hidden = "extra" in names or ("exc_info" in names and node.func.attr != "debug")
            if node.func.attr == "exception" or hidden:
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert found == []
