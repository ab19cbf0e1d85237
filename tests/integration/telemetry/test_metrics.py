"""Every metric and label that a dashboard, an alert rule or a scaling rule names is one that a running stack exports."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import pytest_asyncio
import yaml
from aiohttp import web
from aiohttp.test_utils import TestClient
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.trustgraph_adapter import registered_collector
from trustgraph_react_mem.memory.requests import ForgetFacts, RetrieveFacts, StoreFact, WaitUntilIdle

pytestmark = pytest.mark.asyncio(loop_scope="package")

ROOT = Path(__file__).parents[3]
MONITORING = ROOT / "docker" / "monitoring"
DASHBOARDS = sorted((MONITORING / "grafana" / "dashboards").glob("*.json"))
OF_PROMETHEUS = {"job", "instance", "le"}
SUFFIXES = ("_bucket", "_count", "_sum", "_total", "_created", "")


def alert_rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((MONITORING / "alerts.yaml").read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def queries() -> Iterator[tuple[str, str, set[str]]]:
    """(where, PromQL, labels that its texts show)."""
    for file in DASHBOARDS:
        dashboard = json.loads(file.read_text("utf-8"))
        for panel in dashboard["panels"]:
            for target in panel.get("targets", []):
                shown = set(re.findall(r"\{\{\s*(\w+)\s*\}\}", target["legendFormat"]))
                yield f"{file.stem}: {panel['title']}", target["expr"], shown
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                (metric,) = re.fullmatch(r"label_values\((\w+), job\)", variable["query"]["query"]).groups()  # type: ignore[union-attr]
                yield f"{file.stem}: variable {variable['name']}", metric, {"job"}
    for rule in alert_rules():
        yield rule["alert"], rule["expr"], set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))
    rules = (path.read_text("utf-8") for path in sorted((ROOT / "docker" / "k8s").rglob("scaling.yaml")))
    for document in (each for text in rules for each in yaml.safe_load_all(text)):
        for trigger in document["spec"].get("triggers", []):
            if trigger["type"] == "prometheus":
                yield document["metadata"]["name"], trigger["metadata"]["query"], set()


QUERIES = list(queries())


def parsed(query: str) -> promql_parser.Expr:
    return promql_parser.parse(query.replace("$__rate_interval", "5m").replace("$job", ".*"))


def named_in(query: str) -> tuple[dict[str, set[str]], list[set[str]]]:
    """Metric -> labels that it is filtered by; and the labels of each grouping."""
    metrics: dict[str, set[str]] = {}
    groupings: list[set[str]] = []

    def visit(node: Any) -> None:
        if isinstance(node, promql_parser.VectorSelector):
            labels = {matcher.name for matcher in node.matchers.matchers}
            metrics.setdefault(str(node.name), set()).update(labels)
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
            groupings.append(set(node.modifier.labels))

    promql_parser.walk(parsed(query), pre_visit=visit)
    return metrics, groupings


@pytest_asyncio.fixture(scope="module", loop_scope="package")
async def exported(client: TestClient[web.Request, web.Application], bus: MemoryBus) -> dict[str, set[str]]:
    """Metric -> its labels, scraped after some work of every kind."""
    await client.post("/ask/1", json={"question": "look up what my dog Miso may eat", "user": "tom"})
    await client.post("/ask/1", json={"question": "hello", "user": "tom"}, headers={"Authorization": "Bearer wrong"})
    await client.get("/count")
    await client.get("/no/such/route")
    stored = await bus.call(StoreFact(user="tom", content="My dog Miso is allergic to chicken."))
    await bus.call(RetrieveFacts(user="tom", query="dog"))
    await bus.call(ForgetFacts(user="tom", ids=[stored.fact_id]))
    await bus.call(WaitUntilIdle(user="tom"))
    scrape = await client.get("/metrics")
    assert scrape.content_type == "text/plain"
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(await scrape.text()):
        collector = registered_collector(family.name) or registered_collector(f"{family.name}_total")
        declared = set(getattr(collector, "_labelnames", ()))  # also of a metric that nothing has counted yet
        for suffix in SUFFIXES:
            found.setdefault(f"{family.name}{suffix}", set()).update(declared)
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.mark.parametrize(("where", "query", "shown"), QUERIES, ids=[where for where, *_ in QUERIES])
async def test_a_query_parses_and_names_what_is_exported(
    exported: dict[str, set[str]], where: str, query: str, shown: set[str]
) -> None:
    metrics, groupings = named_in(query)
    assert metrics, where
    assert set(metrics) <= set(exported), f"{where}: {sorted(set(metrics) - set(exported))}"
    for metric, labels in metrics.items():
        known = exported[metric] | OF_PROMETHEUS
        assert labels <= known, f"{where}: {metric} has no {sorted(labels - known)}"
        for grouping in groupings:
            assert grouping <= known, f"{where}: {metric} has no {sorted(grouping - known)}"
    kept = set[str]().union(*groupings)
    assert shown <= kept | OF_PROMETHEUS, f"{where}: {sorted(shown - kept)} is no label of the result"


async def test_http_requests_are_counted_by_the_template_of_their_route(
    exported: dict[str, set[str]], client: TestClient[web.Request, web.Application]
) -> None:
    def value(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0.0

    requests = "tg_memory_http_requests_total"
    assert value(requests, route="/ask/{number}", method="POST", status="200") >= 1
    assert value(requests, route="/ask/{number}", method="POST", status="401") >= 1
    assert value(requests, route="unmatched", method="GET", status="404") >= 1
    assert value("tg_memory_auth_failures_total", reason="not-authenticated") >= 1
    assert value("tg_memory_stream_first_byte_seconds_count", route="/count") >= 1
    assert value("tg_memory_http_in_flight", route="/ask/{number}") == 0
    before = value(requests, route="/fail/{number}", method="GET", status="500")
    assert (await client.get("/fail/7")).status == 500
    assert value(requests, route="/fail/{number}", method="GET", status="500") == before + 1


@pytest.mark.parametrize("file", DASHBOARDS, ids=lambda file: file.stem)
async def test_a_dashboard_can_be_imported_anywhere(file: Path) -> None:
    dashboard = json.loads(file.read_text("utf-8"))
    assert dashboard["uid"] == file.stem
    numbers = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(numbers)) == len(numbers)
    sources = {json.dumps(panel["datasource"]) for panel in dashboard["panels"] if "datasource" in panel}
    assert sources == {'{"type": "prometheus", "uid": "${datasource}"}'}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        others = [each["gridPos"] for each in dashboard["panels"] if each is not panel]
        assert not [
            each
            for each in others
            if each["x"] < place["x"] + place["w"]
            and place["x"] < each["x"] + each["w"]
            and each["y"] < place["y"] + place["h"]
            and place["y"] < each["y"] + each["h"]
        ], f"{panel['title']} covers another panel"
