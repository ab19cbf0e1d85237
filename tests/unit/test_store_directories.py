"""Directories that an environment variable leaves empty, as container files do."""

import pytest

from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.identity import default_directory
from trustgraph_react_mem.store_settings import StoreSettings


@pytest.mark.parametrize("name", ["REACT_MEM_KEYS", "REACT_MEM_SCOPE_KEYS"])
def test_keys_are_never_in_the_working_directory_by_mistake(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "")
    with pytest.raises(ConfigurationError, match=f"{name} = '': is empty: name a directory"):
        StoreSettings()


def test_an_empty_data_directory_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_MEM_HOME", "")
    assert StoreSettings().home == default_directory()
