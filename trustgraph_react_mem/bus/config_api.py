"""Reads and writes a workspace's configuration through TrustGraph's API gateway (``react-mem install``)."""

import re
from collections.abc import Sequence

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
        try:
            return {value.key: value.value for value in self._config.get_values(type)}
        except Exception as error:  # trustgraph.api has no common error class
            raise self._failure(f"reading {type!r}", error) from error

    def put(self, values: Sequence[tuple[str, str, str]]) -> None:
        try:
            self._config.put([ConfigValue(type=type_, key=key, value=value) for type_, key, value in values])
        except Exception as error:
            raise self._failure("writing", error) from error

    def delete(self, keys: Sequence[tuple[str, str]]) -> None:
        try:
            self._config.delete([ConfigKey(type=type_, key=key) for type_, key in keys])
        except Exception as error:
            raise self._failure("deleting", error) from error

    def _failure(self, what: str, error: Exception) -> EngineUnavailable:
        return _explain_refusal(f"{what} configuration", self._url, _cause(error))


def list_workspaces(url: str, *, token: str = "") -> list[str]:
    """The enabled workspaces that this token may use, sorted.

    Raises: EngineUnavailable (the gateway does not answer or refuses).
    """
    url = url if url.endswith("/") else url + "/"
    try:
        answer = Api(url, timeout=TIMEOUT_S, token=token or None).request("iam", {"operation": "list-my-workspaces"})
        if "workspaces" in answer:
            # Those with an underscore are TrustGraph's own, and are not reached through the gateway.
            return sorted(each["id"] for each in answer["workspaces"] if each["enabled"] and not each["id"].startswith("_"))
    except Exception as error:  # trustgraph.api has no common error class
        raise _explain_refusal("listing the workspaces", url, _cause(error)) from error
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


def _explain_refusal(what: str, url: str, cause: str) -> EngineUnavailable:
    return EngineUnavailable(
        f"{what} through the gateway at {url} failed ({cause}): check --api-url, --token, --workspace and that the gateway runs"
    )
