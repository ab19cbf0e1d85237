"""Reads and writes a workspace's configuration through TrustGraph's API gateway (``react-mem install``)."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from trustgraph.api import Api
from trustgraph.api.types import ConfigKey, ConfigValue

from ..errors import EngineUnavailable

TIMEOUT_S = 30.0
_STATUS = re.compile(r"status code:? \d{3}", re.IGNORECASE)
_KIND = re.compile(r"[a-z-]{1,40}", re.IGNORECASE)


class ConfigClient:
    """``install.ConfigurationStore`` over ``trustgraph.api``.

    Raises (each method):
        EngineUnavailable: the gateway does not answer or refuses.  The message holds its address, never the token.
    """

    def __init__(self, url: str, *, token: str = "", workspace: str = "default", timeout_s: float = TIMEOUT_S) -> None:
        self._url = url if url.endswith("/") else url + "/"
        self._config = Api(self._url, timeout=timeout_s, token=token or None, workspace=workspace).config()

    def values(self, type: str) -> dict[str, str]:
        with _explained(f"reading {type!r} configuration", self._url):
            return {value.key: value.value for value in self._config.get_values(type)}

    def put(self, values: Sequence[tuple[str, str, str]]) -> None:
        with _explained("writing configuration", self._url):
            self._config.put([ConfigValue(type=type_, key=key, value=value) for type_, key, value in values])

    def delete(self, keys: Sequence[tuple[str, str]]) -> None:
        with _explained("deleting configuration", self._url):
            self._config.delete([ConfigKey(type=type_, key=key) for type_, key in keys])


def _cause(error: Exception) -> str:
    """The HTTP status or the type of the error ("not-found: ...").  The rest of the text may hold private data."""
    text = str(error)
    if status := _STATUS.search(text):
        return status[0].lower().replace(" code", "").replace(":", "")
    kind, colon, _ = text.partition(": ")
    return kind.lower() if colon and _KIND.fullmatch(kind) else type(error).__name__


@contextmanager
def _explained(what: str, url: str) -> Iterator[None]:
    """Raises: EngineUnavailable (``what`` failed)."""
    try:
        yield
    except Exception as error:  # trustgraph.api has no common error class
        raise EngineUnavailable(
            f"{what} through the gateway at {url} failed ({_cause(error)}): check --api-url, --token, --workspace and that the "
            "gateway runs"
        ) from error
