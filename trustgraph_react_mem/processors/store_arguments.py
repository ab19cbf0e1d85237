"""Command-line arguments for the stores.  Defaults come from the ``REACT_MEM_*`` environment variables."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from ..store_settings import StoreSettings

ARGUMENTS: Mapping[str, str] = {
    "home": "Data directory of the embedded engines",
    "keys": "Directory of the master key",
    "graph_url": "Neo4j address, such as bolt://neo4j:7687 (password: REACT_MEM_GRAPH_PASSWORD)",
    "graph_user": "Neo4j's user",
    "graph_database": "Neo4j's database",
    "vector_url": "Qdrant address, such as http://qdrant:6333 (key: REACT_MEM_VECTOR_API_KEY)",
    "embedding_profile": "Embedding model of the flow's embeddings service",
    "former_embeddings": "Previous embedding model during a migration (a name of the catalogue, openai:MODEL, or none)",
    "embedding_dimension": "Vector dimension of an embedding model that is not in the catalogue",
}


def add_store_args(parser: ArgumentParser) -> None:
    for name, text in ARGUMENTS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default=None, help=text)


def store_settings(params: Mapping[str, Any]) -> StoreSettings:
    """The settings of the stores.  Precedence: arguments, environment variables, defaults.

    Raises: ConfigurationError (names the wrong value).
    """
    given = {name: params[name] for name in ARGUMENTS if params.get(name) is not None}
    return StoreSettings(**given)
