"""How an answer is refined: the setting, the options of a request, and what earlier versions had."""

from typing import Any

import pytest

from trustgraph_react_mem.errors import BadRequest, ConfigurationError
from trustgraph_react_mem.refine.plan import Plan, read_plan
from trustgraph_react_mem.schema import RefineOptions
from trustgraph_react_mem.settings import AgentMemSettings, overlay, parse_agent_mem, parse_job_settings


def test_an_empty_option_means_the_default() -> None:
    settings = AgentMemSettings(refine="self")
    assert read_plan(None, "", settings) == read_plan(RefineOptions(), "react", settings) == Plan()
    assert read_plan(None, "", AgentMemSettings()) is None
    assert read_plan(None, "refine", AgentMemSettings()) == Plan()
    assert read_plan(RefineOptions(max_loops=0), "", settings) is None


def test_the_checks_by_rules_of_earlier_versions_are_refused_with_what_to_use() -> None:
    setting = r"refine = 'grounded'.*use self, .* or off"
    with pytest.raises(ConfigurationError, match=setting):
        parse_agent_mem('{"refine": "grounded"}')
    with pytest.raises(ConfigurationError, match=setting):
        overlay('{"refine": "off"}', '{"refine": "grounded"}')
    option = r"refine.critique = 'grounded'.*use self, or max_loops 0"
    with pytest.raises(BadRequest, match=option):
        read_plan(RefineOptions(critique="grounded"), "", AgentMemSettings())


def test_a_job_of_an_earlier_version_is_still_read() -> None:
    settings = parse_job_settings({"refine": "grounded", "extract-each-invocation": True, "a-later-key": 1})
    assert (settings.refine, settings.extract_every_turns) == ("self", 1)
    assert parse_job_settings({"extract-each-invocation": False}).extract_every_turns == 10
    with pytest.raises(ConfigurationError, match="refine"):
        parse_job_settings({"refine": "harsh"})


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (1, "refine must be an object"),
        (RefineOptions(max_loops=4), "refine.max_loops = 4: Input should be less than or equal to 3"),
        (RefineOptions(critique=7), "refine.critique = '7'"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_option_is_named(given: Any, named: str) -> None:
    with pytest.raises(BadRequest, match=named):
        read_plan(given, "", AgentMemSettings())
