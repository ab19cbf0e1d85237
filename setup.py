"""Where the code is.  Names, versions and tools are in pyproject.toml.

``schema`` and ``config`` stand at the top level of the repository and belong to the package: it holds a link to each.
"""

from setuptools import find_packages, setup

PACKAGE = "trustgraph_react_mem"
DATA = {
    PACKAGE: ["py.typed"],
    f"{PACKAGE}.stores.graph.cypher": ["*.cypher"],
    f"{PACKAGE}.indexing": ["*.toml"],
    f"{PACKAGE}.learning.rules": ["*.xz"],
    f"{PACKAGE}.memory": ["*.toml", "*.xz"],
    f"{PACKAGE}.memory.screening": ["*.toml", "*.txt"],
    f"{PACKAGE}.models": ["*.toml"],
    f"{PACKAGE}.config": ["*.json", "*.yaml"],
    f"{PACKAGE}.retrieval.temporal.languages": ["*.toml"],
    f"{PACKAGE}.config.prompts": ["*.json", "*.txt"],
    f"{PACKAGE}.ui.static": ["*"],
}

setup(
    # Folders of data have no modules, so that setuptools does not find them.
    packages=sorted({*find_packages(include=[PACKAGE, f"{PACKAGE}.*"]), *DATA}),
    package_data=DATA,
    # Named so that an editable install is a plain path, which type checkers and editors follow.
    package_dir={"": "."},
)
