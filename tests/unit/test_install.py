"""Installing memory over a blueprint: what is written, what is never touched, and that a removal leaves nothing."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.stock.blueprint import STOCK_AGENT_TOPICS
from trustgraph_react_mem.config.blueprint import SERVICES
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.install.overlay import overlay_blueprint
from trustgraph_react_mem.install.plan import BLUEPRINT, MANIFEST, apply, plan_install, plan_uninstall
from trustgraph_react_mem.schema.topics import AGENT

EXTRAS = {
    ("prompt", "template.agent-react-mem"): json.dumps({"prompt": "Answer.", "response-type": "text"}),
    ("agent-mem", "default"): "{}",
}


class Configuration:
    """A workspace's configuration as a dictionary."""

    def __init__(self) -> None:
        self.data: dict[str, dict[str, str]] = {BLUEPRINT: {"everything": json.dumps(blueprint())}}

    def values(self, type: str) -> dict[str, str]:
        return dict(self.data.get(type, {}))

    def put(self, values: Sequence[tuple[str, str, str]]) -> None:
        for type_, key, value in values:
            self.data.setdefault(type_, {})[key] = value

    def delete(self, keys: Sequence[tuple[str, str]]) -> None:
        for type_, key in keys:
            del self.data[type_][key]

    def snapshot(self) -> dict[str, dict[str, str]]:
        return {type_: dict(values) for type_, values in self.data.items() if values}


def installed() -> Configuration:
    configuration = Configuration()
    apply(configuration, plan_install(configuration, "everything", EXTRAS))
    return configuration


def blueprint(agent: str = "agent-manager:{id}") -> dict[str, Any]:
    return {
        "description": "Everything",
        "tags": ["agent"],
        "parameters": {},
        "blueprint": {},
        "flow": {
            "prompt:{id}": {"topics": {"request": "request:tg:prompt:{workspace}:{id}"}},
            agent: {"topics": dict(STOCK_AGENT_TOPICS), "parameters": {"model": "{llm-model}"}},
        },
        "interfaces": {
            "agent": {"request": "request:tg:agent:{workspace}:{id}", "response": "response:tg:agent:{workspace}:{id}"}
        },
    }


def test_the_stock_agent_is_replaced_and_interfaces_stay() -> None:
    base = blueprint()
    made = overlay_blueprint(base, "everything")
    assert "agent-manager:{id}" not in made["flow"]
    assert set(made["flow"]) == {"prompt:{id}", f"{AGENT}:{{id}}", *(f"{name}:{{id}}" for name in SERVICES)}
    assert made["interfaces"] == base["interfaces"]
    assert STOCK_AGENT_TOPICS.items() <= made["flow"][f"{AGENT}:{{id}}"]["topics"].items()
    assert made["flow"][f"{AGENT}:{{id}}"]["parameters"] == {"model": "{llm-model}"}
    assert base == blueprint(), "the base was changed"


def test_the_agent_is_found_by_what_it_consumes_not_by_its_name() -> None:
    made = overlay_blueprint(blueprint(agent="our-own-agent:{id}"), "everything")
    assert "our-own-agent:{id}" not in made["flow"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda b: b["interfaces"].clear(), "no agent interface"),
        (lambda b: b["flow"].pop("agent-manager:{id}"), "no agent to replace"),
        (lambda b: b["flow"].update({"second:{id}": b["flow"]["agent-manager:{id}"]}), "keep one of them"),
        (lambda b: b["flow"].update({"agent-facts:{id}": {"topics": {}}}), "agent-facts:{id}"),
    ],
)
def test_a_blueprint_that_cannot_carry_memory_is_refused_with_the_reason(change: Any, says: str) -> None:
    base = blueprint()
    change(base)
    with pytest.raises(ConfigurationError, match=says):
        overlay_blueprint(base, "everything")


def test_install_is_idempotent_and_uninstall_restores() -> None:
    configuration = Configuration()
    before = configuration.snapshot()
    apply(configuration, plan_install(configuration, "everything", EXTRAS))
    assert "everything-mem" in configuration.data[BLUEPRINT]
    assert plan_install(configuration, "everything", EXTRAS).empty
    apply(configuration, plan_uninstall(configuration, "everything"))
    assert configuration.snapshot() == before


def test_an_upgrade_replaces_what_we_wrote_and_keeps_what_was_edited() -> None:
    configuration = installed()
    configuration.data["agent-mem"]["default"] = '{"max-iterations": 3}'
    newer = {**EXTRAS, ("prompt", "template.agent-react-mem"): json.dumps({"prompt": "Better.", "response-type": "text"})}
    newer[("agent-mem", "default")] = '{"max-iterations": 7}'
    apply(configuration, plan_install(configuration, "everything", newer))
    assert "Better." in configuration.data["prompt"]["template.agent-react-mem"]
    assert configuration.data["agent-mem"]["default"] == '{"max-iterations": 3}'
    apply(configuration, plan_uninstall(configuration, "everything"))
    assert configuration.data["agent-mem"]["default"] == '{"max-iterations": 3}', "a hand-edited value was deleted"
    assert not configuration.data["prompt"]


def test_an_overlay_changed_by_hand_is_refused() -> None:
    configuration = installed()
    edited = json.loads(configuration.data[BLUEPRINT]["everything-mem"])
    edited["flow"]["mine:{id}"] = {"topics": {}}
    configuration.data[BLUEPRINT]["everything-mem"] = json.dumps(edited)
    with pytest.raises(ConfigurationError, match="edited since"):
        plan_install(configuration, "everything", EXTRAS)


def test_a_running_flow_blocks_uninstall_by_name() -> None:
    configuration = installed()
    configuration.put([("flow", "default", json.dumps({"blueprint-name": "everything-mem"}))])
    with pytest.raises(ConfigurationError, match="tg-stop-flow -i default"):
        plan_uninstall(configuration, "everything")


def test_prompts_shared_by_two_overlays_outlive_the_first() -> None:
    configuration = Configuration()
    configuration.put([(BLUEPRINT, "ontology", json.dumps(blueprint()))])
    apply(configuration, plan_install(configuration, "everything", EXTRAS))
    apply(configuration, plan_install(configuration, "ontology", EXTRAS))
    apply(configuration, plan_uninstall(configuration, "everything"))
    assert "ontology-mem" in configuration.data[MANIFEST]
    assert "everything-mem" not in configuration.data[MANIFEST]


def test_a_flow_that_runs_on_an_upgraded_blueprint_is_told_to_start_again() -> None:
    store = installed()
    store.data["flow"] = {"mem": json.dumps({"blueprint-name": "everything-mem"})}
    newer = blueprint()
    newer["flow"]["more:{id}"] = {"topics": {"request": "request:tg:more:{workspace}:{id}"}}
    store.data[BLUEPRINT]["everything"] = json.dumps(newer)
    (update,) = [change for change in plan_install(store, "everything", EXTRAS).changes if change.type == BLUEPRINT]
    assert update.action == "update"
    assert "restart flow mem" in update.note


def test_an_exported_configuration_is_completed_in_another_workspace() -> None:
    """A bundle of TrustGraph (`tg-export-workspace`) has every type; `tg-export-workspace-config` has only some."""
    here = installed()
    bundle = Configuration()
    bundle.data = here.snapshot()
    assert plan_install(bundle, "everything", EXTRAS).empty
    part = Configuration()
    part.data = {type_: values for type_, values in here.snapshot().items() if type_ in (BLUEPRINT, "prompt")}
    apply(part, plan_install(part, "everything", EXTRAS))
    assert part.values("agent-mem") == here.values("agent-mem")
    assert plan_install(part, "everything", EXTRAS).empty
    apply(part, plan_uninstall(part, "everything"))
    assert set(part.values(BLUEPRINT)) == {"everything"}
