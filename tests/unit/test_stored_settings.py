"""What earlier versions stored in the configuration of a workspace."""

import json
import logging

import pytest

from trustgraph_react_mem.flow_settings import FlowSettings
from trustgraph_react_mem.settings import REMOVED, parse_job_settings


@pytest.mark.parametrize("removed", sorted(REMOVED))
async def test_a_removed_setting_lets_no_other_lapse_and_is_named(removed: str, caplog: pytest.LogCaptureFixture) -> None:
    flows = FlowSettings()
    with caplog.at_level(logging.WARNING):
        await flows.on_config("w", {"agent-mem": {"default": json.dumps({"personal-data": "redact", removed: 1})}}, 1)
    assert flows.for_flow("w", "f").personal_data == "redact"
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert REMOVED[removed] in record.getMessage()


async def test_what_is_wrong_otherwise_is_still_refused(caplog: pytest.LogCaptureFixture) -> None:
    flows = FlowSettings()
    for stored in ('{"personal-data": "shout"}', "[1]", "{"):
        await flows.on_config("w", {"agent-mem": {"default": stored}}, 1)
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 3
    assert flows.for_flow("w", "f").personal_data == "keep"


def test_a_job_of_an_earlier_version_is_still_read() -> None:
    settings = parse_job_settings({"refine": "self", "extract-each-invocation": True, "a-later-key": 1})
    assert settings.extract_every_turns == 1
    assert parse_job_settings({"extract-each-invocation": False}).extract_every_turns == 10
