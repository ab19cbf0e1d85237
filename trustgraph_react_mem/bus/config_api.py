"""Reads and writes a workspace's configuration through TrustGraph's API gateway (``react-mem install``)."""

import re
from collections.abc import Sequence

from trustgraph.api import Api
from trustgraph.api.types import ConfigKey, ConfigValue

from ..errors import EngineUnavailable


class ConfigClient:
    """``install.ConfigurationStore`` over ``trustgraph.api``.

    Raises (each method):
        EngineUnavailable: the gateway does not answer or refuses.  The message holds its address, never the token.
    """

    def __init__(self, url: str, *, token: str = "", workspace: str = "default", timeout_s: float = 30) -> None:
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
        return _refused(f"{what} configuration", self._url, error)


def list_workspaces(url: str, *, token: str = "", timeout_s: float = 30) -> list[str]:
    """The enabled workspaces that this token may use, sorted.

    Raises: EngineUnavailable (the gateway does not answer or refuses).
    """
    url = url if url.endswith("/") else url + "/"
    try:
        answer = Api(url, timeout=timeout_s, token=token or None).request("iam", {"operation": "list-my-workspaces"})
        if "workspaces" not in answer:
            raise RuntimeError(_reason(answer.get("error")))
        # Those with an underscore are TrustGraph's own, and are not reached through the gateway.
        return sorted(each["id"] for each in answer["workspaces"] if each["enabled"] and not each["id"].startswith("_"))
    except Exception as error:  # trustgraph.api has no common error class
        raise _refused("listing the workspaces", url, error) from error


def _reason(error: object) -> str:
    """Why the identity service lists no workspaces; who is no user gets an answer without any."""
    kind = error.get("type") if isinstance(error, dict) else error
    return f"{kind or 'refused'}: by the identity service"


def _refused(what: str, url: str, error: Exception) -> EngineUnavailable:
    # The rest of the text may hold private data.  "not-found: ..." is an answer of the identity service.
    told = re.search(r"status code:? \d{3}|^[a-z-]{1,40}(?=: )", str(error), re.IGNORECASE)
    cause = told[0].lower().replace(" code", "").replace(":", "") if told else type(error).__name__
    return EngineUnavailable(
        f"{what} through the gateway at {url} failed ({cause}): check --api-url, --token, --workspace and that the gateway runs"
    )
