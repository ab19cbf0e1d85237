"""Group ``graph``: the nine tools of the reference memory server (``@modelcontextprotocol/server-memory`` 0.6), over facts.

An entity, an observation and a relation are one statement of the assistant each, in the conversation ``SOURCE``.  So the other
tools and the flow's agent recall them too.  Metadata holds the structure: ``graph`` is the sort, ``name`` the entity.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from ...errors import BadRequest, NotFound
from ...http.access import Access
from ...memory.requests import ListFacts
from ...schema import Fact
from ..results import Done, Finished, answer
from ..statements import Statement, keep
from ..tools import erase

SOURCE = "knowledge-graph"
MOST_RECORDS = 10_000  # of the graph that are read
MOST_AT_ONCE = 200
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(min_length=1, max_length=4000)]


class Entity(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name
    entityType: Name
    observations: list[Text] = Field(default_factory=list, max_length=MOST_AT_ONCE)


class Relation(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True, frozen=True)

    from_: Name = Field(alias="from")
    to: Name
    relationType: Name


class Observations(BaseModel):
    model_config = ConfigDict(extra="forbid")

    entityName: Name
    contents: list[Text] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Deletion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    entityName: Name
    observations: list[Text] = Field(min_length=1, max_length=MOST_AT_ONCE)


class AddedObservations(BaseModel):
    entityName: str
    addedObservations: list[str]


class NewEntities(BaseModel):
    entities: list[Entity]


class NewRelations(BaseModel):
    relations: list[Relation]


class NewObservations(BaseModel):
    results: list[AddedObservations]


class KnowledgeGraph(BaseModel):
    entities: list[Entity]
    relations: list[Relation]


EntityList = Annotated[list[Entity], Field(min_length=1, max_length=MOST_AT_ONCE)]
RelationList = Annotated[list[Relation], Field(min_length=1, max_length=MOST_AT_ONCE)]
NameList = Annotated[list[Name], Field(min_length=1, max_length=MOST_AT_ONCE)]
EntitiesAnswer = Annotated[CallToolResult, NewEntities]
RelationsAnswer = Annotated[CallToolResult, NewRelations]
ObservationsAnswer = Annotated[CallToolResult, NewObservations]
GraphAnswer = Annotated[CallToolResult, KnowledgeGraph]


@dataclass(slots=True)
class StoredGraph:
    """The graph with the ids of its records."""

    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[Relation, str] = field(default_factory=dict)
    entity_ids: dict[str, list[str]] = field(default_factory=dict)  # of the entity and its observations
    observation_ids: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    async def load(cls, access: Access) -> "StoredGraph":
        found = await access.call(ListFacts(kinds=["turn"], source=SOURCE, limit=MOST_RECORDS))
        graph = cls()
        for fact in sorted(found.facts, key=lambda fact: fact.metadata.get("graph") != "entity"):
            graph._add(fact)
        return graph

    def _add(self, fact: Fact) -> None:
        about = fact.metadata
        match about.get("graph"):
            case "entity":
                self.entities.setdefault(about["name"], Entity(name=about["name"], entityType=about["type"]))
                self.entity_ids.setdefault(about["name"], []).append(fact.id)
            case "observation" if about["name"] in self.entities:
                self.entities[about["name"]].observations.append(about["text"])
                self.entity_ids[about["name"]].append(fact.id)
                self.observation_ids[about["name"], about["text"]] = fact.id
            case "relation":
                self.relations[Relation(from_=about["name"], to=about["to"], relationType=about["type"])] = fact.id

    def around(self, names: set[str]) -> KnowledgeGraph:
        """These entities, and the relations that touch one of them."""
        relations = [each for each in self.relations if each.from_ in names or each.to in names]
        return KnowledgeGraph(entities=[each for name, each in self.entities.items() if name in names], relations=relations)


def _entity(entity: Entity) -> Statement:
    about = {"graph": "entity", "name": entity.name, "type": entity.entityType}
    return Statement(text=f"{entity.name} is of the type {entity.entityType}.", metadata=about)


def _observation(name: str, text: str) -> Statement:
    return Statement(text=f"About {name}: {text}", metadata={"graph": "observation", "name": name, "text": text})


def _relation(relation: Relation) -> Statement:
    about = {"graph": "relation", "name": relation.from_, "to": relation.to, "type": relation.relationType}
    return Statement(text=f"{relation.from_} {relation.relationType} {relation.to}.", metadata=about)


async def store_graph(access: Access, entities: Sequence[Entity], relations: Sequence[Relation]) -> KnowledgeGraph:
    """Store what is new, and return that.  An entity that exists stays as it is."""
    graph = await StoredGraph.load(access)
    new = list({each.name: each for each in reversed(entities) if each.name not in graph.entities}.values())[::-1]
    fresh = [each for each in dict.fromkeys(relations) if each not in graph.relations]
    statements = [_entity(each) for each in new]
    statements += [_observation(each.name, text) for each in new for text in dict.fromkeys(each.observations)]
    statements += [_relation(each) for each in fresh]
    if statements:
        await keep(access, SOURCE, statements)
    return KnowledgeGraph(entities=new, relations=fresh)


async def load_graph(access: Access) -> str:
    graph = await StoredGraph.load(access)
    return graph.around(set(graph.entities)).model_dump_json(by_alias=True)


def _answer(model: BaseModel) -> CallToolResult:
    return answer(model, model.model_dump_json(by_alias=True))


async def create_entities(access: Access, entities: EntityList) -> EntitiesAnswer:
    """Create entities with observations in the knowledge graph. Use it for people, projects and things that come up again.
    Entities that exist are left as they are."""
    stored = await store_graph(access, entities, [])
    return _answer(NewEntities(entities=stored.entities))


async def create_relations(access: Access, relations: RelationList) -> RelationsAnswer:
    """Create relations between entities, in active voice. Use it when the person says how two entities are connected."""
    stored = await store_graph(access, [], relations)
    return _answer(NewRelations(relations=stored.relations))


async def add_observations(
    access: Access, observations: Annotated[list[Observations], Field(min_length=1, max_length=MOST_AT_ONCE)]
) -> ObservationsAnswer:
    """Add observations to entities that exist. Use it when the person says something new about one."""
    graph = await StoredGraph.load(access)
    results, statements = list[AddedObservations](), list[Statement]()
    for each in observations:
        if each.entityName not in graph.entities:
            raise NotFound(f"no entity {each.entityName!r}: create it with create_entities first")
        known = graph.entities[each.entityName].observations
        added = [text for text in dict.fromkeys(each.contents) if text not in known]
        statements += [_observation(each.entityName, text) for text in added]
        results.append(AddedObservations(entityName=each.entityName, addedObservations=added))
    if statements:
        await keep(access, SOURCE, statements)
    return _answer(NewObservations(results=results))


async def delete_entities(access: Access, entityNames: NameList) -> Finished:
    """Delete entities with their observations and relations, for good. Use it only when the person asks for it."""
    graph = await StoredGraph.load(access)
    names = set(entityNames)
    ids = [record_id for name in names for record_id in graph.entity_ids.get(name, [])]
    ids += [record_id for each, record_id in graph.relations.items() if each.from_ in names or each.to in names]
    return await _erase(access, ids, "Entities")


async def delete_observations(
    access: Access, deletions: Annotated[list[Deletion], Field(min_length=1, max_length=MOST_AT_ONCE)]
) -> Finished:
    """Delete observations of entities, for good. Use it when one is wrong."""
    graph = await StoredGraph.load(access)
    wanted = [(each.entityName, text) for each in deletions for text in each.observations]
    return await _erase(access, [graph.observation_ids[one] for one in wanted if one in graph.observation_ids], "Observations")


async def delete_relations(access: Access, relations: RelationList) -> Finished:
    """Delete relations, for good. Use it when one is wrong."""
    graph = await StoredGraph.load(access)
    return await _erase(access, [graph.relations[each] for each in relations if each in graph.relations], "Relations")


async def _erase(access: Access, ids: Sequence[str], what: str) -> Finished:
    if ids:
        await erase(access, "record", ids=list(dict.fromkeys(ids)))
    message = f"{what} deleted successfully"
    return answer(Done(success=True, message=message), message)


async def read_graph(access: Access) -> GraphAnswer:
    """Read the whole knowledge graph. Use it when it is small and you need an overview; otherwise search_nodes."""
    graph = await StoredGraph.load(access)
    return _answer(graph.around(set(graph.entities)))


async def search_nodes(access: Access, query: Annotated[str, Field(min_length=1, max_length=1000)]) -> GraphAnswer:
    """Find entities whose name, type or observations contain the query. Use it before you create one."""
    graph, sought = await StoredGraph.load(access), query.casefold()
    found = {
        name
        for name, each in graph.entities.items()
        if any(sought in text.casefold() for text in (name, each.entityType, *each.observations))
    }
    return _answer(graph.around(found))


async def open_nodes(access: Access, names: NameList) -> GraphAnswer:
    """Read entities by their names, with their relations."""
    graph = await StoredGraph.load(access)
    return _answer(graph.around(set(names) & set(graph.entities)))


def read_graph_file(text: str) -> tuple[list[Entity], list[Relation]]:
    """The content of the reference server's file, one JSON object a line.  Raises: BadRequest (with the line)."""
    entities, relations = list[Entity](), list[Relation]()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if value.pop("type") == "entity":
                entities.append(Entity.model_validate(value))
            else:
                relations.append(Relation.model_validate(value))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise BadRequest(
                f"line {number} is neither an entity nor a relation: expected "
                '{"type":"entity","name","entityType","observations"} or {"type":"relation","from","to","relationType"}'
            ) from None
    return entities, relations
