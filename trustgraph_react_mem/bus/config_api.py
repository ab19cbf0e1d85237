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


def list_workspaces(url: str, *, token: str = "") -> list[str]:
    """The enabled workspaces that this token may use, sorted.

    Raises: EngineUnavailable (the gateway does not answer or refuses).
    """
    url = url if url.endswith("/") else url + "/"
    with _explained("listing the workspaces", url):
        answer = Api(url, timeout=TIMEOUT_S, token=token or None).request("iam", {"operation": "list-my-workspaces"})
        if "workspaces" in answer:
            # Those with an underscore are TrustGraph's own, and are not reached through the gateway.
            return sorted(each["id"] for each in answer["workspaces"] if each["enabled"] and not each["id"].startswith("_"))
    raise EngineUnavailable(  # the identity service does not know the caller, such as one without a token
        f"the gateway at {url} lists no workspaces for this caller: --all-workspaces needs the token of a TrustGraph user "
        "(--token or TRUSTGRAPH_TOKEN); without one, name each workspace with --workspace"
    )


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
