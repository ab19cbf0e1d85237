"""On Neo4j every statement is found by key, index or edge: none reads all nodes of a label, however many scopes share them."""

import os
import re

import pytest
from neo4j import AsyncGraphDatabase

from trustgraph_react_mem.stores.graph.engine import cypher
from trustgraph_react_mem.stores.graph.neo4j import Neo4jGraph

AREAS = ("facts", "conversations", "episodes", "jobs", "scope_state", "scopes", "epochs")
# Read once, when a deployment first keeps its keys elsewhere; and every hour, one row for a scope and day.
RARE = {"all_keys", "prune_spending"}
READS_ALL = re.compile(r"(NodeByLabelScan|AllNodesScan|AllRelationshipsScan|RelationshipTypeScan)@")
LISTS = {"uids": ["u"], "without": ["x"], "scopes": ["x"], "kinds": ["turn"], "statuses": ["active"], "states": ["done"]}
NUMBERS = dict.fromkeys(("first", "last", "limit", "offset", "tokens", "expected", "version"), 1)

pytestmark = pytest.mark.servers


@pytest.mark.parametrize("area", AREAS)
async def test_no_statement_reads_a_whole_label(area: str) -> None:
    uri, password = os.environ["TEST_NEO4J_URI"], os.environ.get("TEST_NEO4J_PASSWORD", "")
    graph = await Neo4jGraph.open(uri, user="neo4j" if password else "", password=password)  # with its indexes
    await graph.close()
    auth = ("neo4j", password) if password else None
    wrong = []
    async with AsyncGraphDatabase.driver(uri, auth=auth) as driver, driver.session() as session:
        for name, text in cypher(area).items():
            values = LISTS | NUMBERS | {"rows": [dict.fromkeys(re.findall(r"\br\.(\w+)", text), "x")], "indexed": True}
            used = {parameter: values.get(parameter, "x") for parameter in re.findall(r"\$(\w+)", text)}
            result = await session.run(f"EXPLAIN {text}", used)  # type: ignore[arg-type]  # the statements are ours
            if name in RARE:
                continue
            wrong += [f"{name}: {scan}" for scan in READS_ALL.findall(str((await result.consume()).plan))]
    assert wrong == []
