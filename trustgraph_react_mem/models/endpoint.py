"""The choice of the language model: the configured one, else an Ollama on this machine, else the small local model.

``REACT_MEM_MODEL``: ``auto``, ``openai``, ``ollama``, ``local``, ``none``, ``scripted`` or ``scripted:FILE.json``.
``OPENAI_BASE_URL``, ``OPENAI_API_KEY`` and ``OPENAI_MODEL`` describe an endpoint.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from ..errors import ConfigurationError, ModelUnavailable
from ..extras import CHAT, require
from ..local_url import local_url
from .catalogue import load_catalogue
from .chat import ChatModel
from .local_llm import STOP, LocalChatModel
from .openai_chat import OpenAIChatModel
from .sources import Report, silent
from .store import ModelStore, models_folder

VARIABLE = "REACT_MEM_MODEL"
OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_PORT = 11434
OLLAMA_URL = f"http://127.0.0.1:{OLLAMA_PORT}"
PROBE_S = 0.5
ENDPOINT = (
    "set OPENAI_BASE_URL to an endpoint that serves one, or start Ollama; REACT_MEM_MODEL=none stores and recalls without one"
)
CHOICES = ("auto", "openai", "ollama", "local", "none", "scripted", "scripted:FILE.json")


async def choose_chat_model(
    choice: str | None = None,
    *,
    env: Mapping[str, str] = os.environ,
    report: Report = silent,
    option: str = VARIABLE,
) -> ChatModel | None:
    """The model to use, or None for ``none``.  The local model is downloaded and loaded at its first request.

    ``option``: where ``choice`` comes from, for errors.

    Raises:
        ConfigurationError: the choice is unknown or contradicts the environment.
        MissingPackage: nothing else is configured, and the engine of the local model is not installed.
        ModelUnavailable: the endpoint needs a model name and lists none.
    """
    wanted = choice or env.get(VARIABLE, "") or "auto"
    if wanted == "scripted" or wanted.startswith("scripted:"):
        from ..testing.scripted_model import ScriptedModel

        return ScriptedModel.load(wanted.partition(":")[2])
    match wanted:
        case "none":
            return None
        case "local":
            return local_model(env=env, report=report)
        case "openai":
            return await _openai(env)
        case "ollama":
            found = await _ollama(env)
            if found is None:
                raise ModelUnavailable(
                    f"no Ollama with a model at {_ollama_url(env)}: run `ollama serve` and `ollama pull MODEL`"
                )
            return found
        case "auto":
            if env.get("OPENAI_BASE_URL") or env.get("OPENAI_API_KEY"):
                return await _openai(env)
            return await _ollama(env) or local_model(env=env, report=report)
        case _ if wanted in load_catalogue().models:
            return local_model(wanted, env=env, report=report)
        case _ if env.get("OPENAI_BASE_URL"):
            return await _openai(env, wanted)
        case _:
            raise ConfigurationError(
                f"{option if choice else VARIABLE} is {wanted!r}, which is not a known model: choose one of "
                f"{', '.join(CHOICES)}, or set OPENAI_BASE_URL to the endpoint that serves it"
            )


def local_model(name: str = "", *, env: Mapping[str, str] = os.environ, report: Report = silent) -> LocalChatModel:
    """The catalogue's language model, served in this process.  Raises: ConfigurationError, MissingPackage."""
    require("the local language model", *CHAT, extra="llm", otherwise=ENDPOINT)
    catalogue = load_catalogue()
    entry = catalogue.model(name or catalogue.chat[0], "chat")
    store = ModelStore(models_folder(env))

    async def locate() -> Path:
        return await store.ensure(entry, report) / entry.files[0].name

    return LocalChatModel(entry.name, locate)


def check_base_url(url: str) -> str:
    """Raises: ConfigurationError (``OPENAI_BASE_URL`` is no address)."""
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError(f"OPENAI_BASE_URL={url!r} is not an http(s) address such as http://127.0.0.1:8000/v1")
    return url


async def _openai(env: Mapping[str, str], name: str = "") -> ChatModel:
    url = check_base_url(env.get("OPENAI_BASE_URL", "") or OPENAI_URL)
    model = OpenAIChatModel(name or env.get("OPENAI_MODEL", ""), url, key=env.get("OPENAI_API_KEY", ""))
    if not model.name:
        offered = await model.models()
        if len(offered) != 1:
            await model.close()
            choices = f"set it to one of {', '.join(offered[:10])}" if offered else "load a model there, or set it"
            raise ConfigurationError(
                f"OPENAI_MODEL is not set and {model.where.removeprefix('at ')} offers {len(offered) or 'no'} models: {choices}"
            )
        model.name = offered[0]
    return model


def _ollama_url(env: Mapping[str, str]) -> str:
    """``OLLAMA_HOST`` as Ollama reads it: without a scheme, the port is 11434 if none is named.

    Raises ConfigurationError: the port is not a number.
    """
    host = env.get("OLLAMA_HOST", "") or OLLAMA_URL
    url = (host if "://" in host else f"http://{host}").rstrip("/")
    try:
        bare = urlsplit(url).port is None and "://" not in host
        return local_url(f"{url}:{OLLAMA_PORT}" if bare else url)
    except ValueError:
        raise ConfigurationError(f"OLLAMA_HOST={host!r} is not an address such as 127.0.0.1:{OLLAMA_PORT}") from None


async def _ollama(env: Mapping[str, str]) -> ChatModel | None:
    """An Ollama that responds within PROBE_S and has a model."""
    url = _ollama_url(env)
    try:
        async with httpx.AsyncClient(timeout=PROBE_S, trust_env=False) as client:
            tags = (await client.get(f"{url}/api/tags")).raise_for_status().json()
        offered = [str(entry["name"]) for entry in tags["models"] if "embed" not in str(entry["name"])]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        return None
    wanted = env.get("OPENAI_MODEL", "")
    name = wanted if wanted in offered else (offered[0] if offered else "")
    return OpenAIChatModel(name, f"{url}/v1", where=f"by Ollama at {url}", stop=STOP) if name else None
