"""Command-line arguments that say where memories are.  What is not given comes from ``REACT_MEM_*`` variables."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..bootstrap import StoreSettings
from ..errors import ConfigurationError

ARGUMENTS: Mapping[str, str] = {
    "home": "Directory of the embedded engines",
    "keys": "Directory of the master key",
    "graph_url": "Neo4j's address, such as bolt://neo4j:7687 (password: REACT_MEM_GRAPH_PASSWORD)",
    "graph_user": "Neo4j's user",
    "graph_database": "Neo4j's database",
    "vector_url": "Qdrant's address, such as http://qdrant:6333 (key: REACT_MEM_VECTOR_API_KEY)",
    "embedding_profile": "Embedding model that the flow's embeddings service runs",
    "former_embeddings": "While the embedding model changes: the one before (a name of the catalogue, openai:MODEL, none)",
    "embedding_dimension": "Numbers in a vector of an embedding model that is not known here",
}


def add_store_args(parser: ArgumentParser) -> None:
    for name, text in ARGUMENTS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default=None, help=text)


def store_settings(params: Mapping[str, Any]) -> StoreSettings:
    """Arguments over variables over defaults.  Raises: ConfigurationError naming the value."""
    given = {name: params[name] for name in ARGUMENTS if params.get(name) is not None}
    try:
        return StoreSettings(**given)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'settings'}: {one['msg']}" for one in error.errors())
        raise ConfigurationError(f"where memories are: {faults}") from None
