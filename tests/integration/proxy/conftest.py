from collections.abc import Iterator

import pytest

from tests.servers.proxy import ProxyStack, running_proxy


@pytest.fixture(scope="session")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProxyStack]:
    """The listener over a stack, with a stand-in endpoint.  Tests keep apart by user."""
    with running_proxy(tmp_path_factory.mktemp("proxy")) as stack:
        yield stack
