"""Where the code is.  Names, versions and tools are in pyproject.toml."""

from setuptools import find_packages, setup

PACKAGE = "trustgraph_react_mem"

setup(
    packages=[
        *find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
        f"{PACKAGE}.schema",
        f"{PACKAGE}.config",
        # Folders of data, named so that setuptools takes them for what they are.
        f"{PACKAGE}.config.prompts",
        f"{PACKAGE}.stores.cypher",
    ],
    package_dir={f"{PACKAGE}.schema": "schema", f"{PACKAGE}.config": "config"},
    package_data={
        PACKAGE: ["py.typed"],
        f"{PACKAGE}.stores.cypher": ["*.cypher"],
        f"{PACKAGE}.config": ["*.json", "*.yaml"],
        f"{PACKAGE}.config.prompts": ["*.json", "*.txt"],
    },
)
