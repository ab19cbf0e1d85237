"""Logs name what failed and why, and never hold what a person wrote."""

import ast
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.failure_log import describe_error, log_failure

pytestmark = pytest.mark.structure

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


def test_an_error_of_this_package_is_named_with_its_text() -> None:
    assert describe_error(EngineUnavailable("no reply in 5 s")) == "engine-unavailable: no reply in 5 s"
    assert describe_error(RuntimeError(CANARY)) == "RuntimeError"


def logs() -> Iterator[tuple[str, ast.Call]]:
    """Each call of a logger, and where it is."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if isinstance(node.func.value, ast.Name) and node.func.value.id in ("logger", "logging"):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def test_no_log_names_the_class_of_an_error_alone() -> None:
    found = []
    for where, call in logs():
        arguments = [ast.unparse(argument) for argument in call.args]
        if "type(error).__name__" in arguments and "error" not in arguments:
            found.append(where)
    assert found == [], "use describe_error: the class does not say which engine, address or limit"


def test_no_log_above_debug_holds_a_traceback_or_hides_its_cause() -> None:
    """Tracebacks end with the text of the error.  TrustGraph's log format drops ``extra``."""
    found = []
    for where, call in logs():
        assert isinstance(call.func, ast.Attribute)
        names = {keyword.arg for keyword in call.keywords}
        hidden = "extra" in names or ("exc_info" in names and call.func.attr != "debug")
        if call.func.attr == "exception" or hidden:
            found.append(where)
    assert found == []
