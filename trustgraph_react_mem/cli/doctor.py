"""The checks of `doctor`: program, engines, data directory, running stack and models; with ``--bus``, the broker, flow and
processors of a deployment."""

import asyncio
import importlib.metadata
import os
import shutil
import stat
import sys
from collections.abc import Awaitable, Mapping
from itertools import starmap
from pathlib import Path
from typing import Literal

from .. import __version__
from ..bus.embedder import FLOW, embeddings_model
from ..bus.external_client import MemoryBus
from ..config import REPLACED_PROMPTS, TEMPLATE_PREFIX, describe_replaced
from ..errors import ConfigurationError, EngineUnavailable, MemoryServiceError
from ..extras import LOCAL, PACKAGES, import_failure, install_command, missing_packages
from ..indexing.floors import has_floors
from ..memory.embedding import EmbeddingProfile, find_profile, makes_vectors_of
from ..memory.requests import SERVICES, GetJobStats, ListJobs, WaitUntilIdle
from ..models.doctor import Finding, check_models
from ..schema.topics import AGENT, FACTS
from ..settings import parse_agent_mem
from ..stack_state import running_stack
from ..turn.tools import load_tools
from .connection import open_bus
from .console import count_of
from .jobs import MOST_LISTED, describe_migration
from .options import Options

LEAST_FREE_BYTES = 2 * 2**30  # the local model takes 1.1 GB
BUS_REMEDY = "check --bus, --pulsar-api-key and --pulsar-listener, and whether the broker is running"
SETTINGS = "agent-mem"
SETTINGS_REMEDY = "`react-mem settings KEY=VALUE` stores another value, `react-mem settings --unset KEY` removes it"
DEAD_REMEDY = (
    "`react-mem jobs list --status dead` shows them; once the cause is removed, `react-mem jobs replay ID` runs one again, and "
    "`react-mem jobs drop ID` deletes it"
)
UNREADABLE = "undecodable"  # trigger of the jobs that stand for such messages
ARRIVAL_S = 10.0
SERVICE_S = 10.0  # for a service, beyond the time that it waits by itself
TOOLS_REMEDY = "repair the entry, or delete it with `tg-delete-tool`; a tool that is left out is not offered to the model"
PROMPTS_REMEDY = "move what you changed in it to prompt/template.memory-understand, then delete it: `tg-delete-config-item`"
PATTERNS_REMEDY = "install trustgraph-flow beside the agent (`pip install trustgraph-flow`); the container image has it"
AGAIN_REMEDY = "run `react-mem doctor` again; if it fails again, read the logs of the agent and the memory services"
MODEL_REMEDY = (
    "set REACT_MEM_EMBEDDING_PROFILE of all memory processors to the flow's model (the memories are embedded again), or start "
    "the flow with the model of the memories"
)
FLOOR_REMEDY = "set similarity-threshold between the similarities of answerable and other questions in `memories search`"
SERVICE_REMEDY = "start TrustGraph's embeddings service of this flow, or check its log"
FLOW_REMEDY = "start the flow from a blueprint with memory, or choose another with --workspace and --flow"


async def diagnose(options: Options) -> list[Finding]:
    if options.bus:
        return [_program(), *await _deployment(options)]
    return [_program(), *_engines(), *_data(options.data_dir), *await _stack(options), *await check_models(os.environ)]


def _program() -> Finding:
    python = ".".join(map(str, sys.version_info[:3]))
    return Finding(name="program", state="ok", detail=f"react-mem {__version__}, Python {python}, {os.cpu_count()} cores")


def _engines() -> list[Finding]:
    findings = []
    for module in LOCAL:
        package, remedy = PACKAGES[module], install_command("local")
        if missing_packages(module):
            findings.append(Finding(name=package, state="missing", detail="needed by the embedded stack", remedy=remedy))
        elif failure := import_failure(module):
            detail = f"installed, but cannot be imported ({failure})"
            findings.append(Finding(name=package, state="wrong", detail=detail, remedy=f"reinstall it: {remedy}"))
        else:
            findings.append(Finding(name=package, state="ok", detail=importlib.metadata.version(package)))
    return findings


def _data(directory: Path) -> list[Finding]:
    existing = next(parent for parent in (directory, *directory.parents) if parent.exists())
    mode = stat.S_IMODE(directory.stat().st_mode) if directory.exists() else 0
    wrong = remedy = ""
    if not os.access(existing, os.W_OK):
        wrong, remedy = f"{existing} is not writable", "choose another with --data or REACT_MEM_HOME"
    elif mode & 0o077:
        wrong, remedy = f"{directory} is readable by other users ({mode:o})", f"chmod 700 {directory}"
    detail = wrong or (str(directory) if directory.exists() else f"{directory} (created at the first start)")
    findings = [Finding(name="data directory", state="wrong" if wrong else "ok", detail=detail, remedy=remedy)]
    free = shutil.disk_usage(existing).free
    if free < LEAST_FREE_BYTES:
        detail = f"{free / 2**30:.1f} GB free at {existing}"
        remedy = f"free {LEAST_FREE_BYTES / 2**30:.0f} GB, or choose a directory on another disk with --data"
        findings.append(Finding(name="disk", state="wrong", detail=detail, remedy=remedy))
    return findings


async def _stack(options: Options) -> list[Finding]:
    running = running_stack(options.data_dir)
    if running is None:
        detail = "not running: each command starts its own; `react-mem up` keeps one running"
        return [Finding(name="stack", state="ok", detail=detail)]
    where = f"process {running.pid}"
    try:
        async with open_bus(running.address, options) as bus:
            await bus.check()
            await bus.check_service(FACTS)
            return [
                Finding(name="stack", state="ok", detail=where),
                *await _check_progress(bus, options),
                *await _check_dead_letters(bus, options),
                *await _check_configuration(bus),
            ]
    except MemoryServiceError as error:
        remedy = "stop it and run `react-mem up` again"
        return [Finding(name="stack", state="unreachable", detail=f"{where}: {error}", remedy=remedy)]


async def _check_configuration(bus: MemoryBus) -> list[Finding]:
    """Settings, tools and prompts of the workspace that are not used, each with the cause.  Another program may store any.

    Raises: MemoryServiceError.
    """
    findings = []
    for key, raw in sorted((await bus.config_get(SETTINGS)).items()):
        try:
            parse_agent_mem(raw, f"{SETTINGS}/{key}")
        except ConfigurationError as error:
            detail = f"{error}; this entry is not used"
            findings.append(Finding(name="settings", state="wrong", detail=detail, remedy=SETTINGS_REMEDY))
    left_out = load_tools(await bus.config_get("tool"), await bus.config_get("tool-service")).warnings
    findings += [Finding(name="tools", state="wrong", detail=text, remedy=TOOLS_REMEDY) for text in left_out]
    stored = await bus.config_get("prompt")
    replaced = [name for name in REPLACED_PROMPTS if TEMPLATE_PREFIX + name in stored]
    findings += [
        Finding(name="prompts", state="limited", detail=describe_replaced(name), remedy=PROMPTS_REMEDY) for name in replaced
    ]
    return findings


async def _check_patterns(bus: MemoryBus) -> list[Finding]:
    """Whether the agent runs plan-then-execute and supervisor.  Raises: MemoryServiceError."""
    if await bus.find_missing_pattern():
        detail = "plan-then-execute and supervisor do not run: such requests are processed step by step"
        return [Finding(name="patterns", state="limited", detail=detail, remedy=PATTERNS_REMEDY)]
    return [Finding(name="patterns", state="ok", detail="plan-then-execute and supervisor run")]


async def _check_arrival(bus: MemoryBus, options: Options) -> list[Finding]:
    """Whether a job that is published now comes back from the broker and is run.  Raises: MemoryServiceError."""
    idle = WaitUntilIdle(user=options.user, collection=options.collection, kind="record", timeout_s=ARRIVAL_S)
    left = (await bus.call(idle, ARRIVAL_S + SERVICE_S)).count
    if not left:
        return []
    detail = f"{left} jobs did not end within {ARRIVAL_S:g} s: turns are remembered late, or not at all"
    remedy = "read the log of agent-memory-jobs, and the backlog of its subscription at the broker; start more of it"
    return [Finding(name="jobs", state="wrong", detail=detail, remedy=remedy)]


async def _check_dead_letters(bus: MemoryBus, options: Options) -> list[Finding]:
    """Messages of the workspace's job topic that could not be read, and jobs of the scope that failed for good.

    Raises: MemoryServiceError.
    """
    dead = (await bus.call(ListJobs(status="dead", limit=MOST_LISTED, user=options.user, collection=options.collection))).jobs
    findings = []
    if unreadable := sum(job.trigger == UNREADABLE for job in dead):
        detail = f"{count_of(unreadable, 'message')} of the job topic of workspace {options.workspace} could not be read"
        findings.append(Finding(name="job topic", state="wrong", detail=detail, remedy=DEAD_REMEDY))
    if failed := [job for job in dead if job.trigger != UNREADABLE]:
        detail = f"{count_of(len(failed), 'job')} failed for good, last {failed[0].kind}: {failed[0].error}"
        findings.append(Finding(name="jobs", state="limited", detail=detail, remedy=DEAD_REMEDY))
    return findings


async def _check_progress(bus: MemoryBus, options: Options) -> list[Finding]:
    """A migration, a repair, and records without a vector.

    Raises: MemoryServiceError.
    """
    stats = await _stats(bus, options)
    findings = []
    if progress := describe_migration(stats):
        findings.append(Finding(name="embedding model", state="ok", detail=progress))
    if (left := stats.get("scopes_to_repair", "0")) != "0":
        detail = f"graph and vectors differ in {left} scopes, which are being repaired in the background"
        findings.append(
            Finding(name="stores", state="wrong", detail=detail, remedy="wait; the log of the jobs service has progress")
        )
    if refused := int(stats.get("records_without_vector", "0")):
        detail = f"{refused} records have no vector, because the embedding model refused their text: found by keyword only"
        remedy = "run `react-mem re-embed` with a model that takes them"
        findings.append(Finding(name="vectors", state="wrong", detail=detail, remedy=remedy))
    return findings


async def _stats(bus: MemoryBus, options: Options) -> Mapping[str, str]:
    return (await bus.call(GetJobStats(user=options.user, collection=options.collection))).stats


async def _find_model(bus: MemoryBus, options: Options) -> str:
    """The embedding model of the memories; "" if the jobs service is of a version that does not say.

    Raises: MemoryServiceError.
    """
    return str((await _stats(bus, options)).get("embedding", ""))


async def check_embedding_model(bus: MemoryBus, options: Options) -> list[Finding]:
    """The embedding model of the memories, whether it has a similarity floor, and the flows that run another model.

    Raises: MemoryServiceError.
    """
    if not (name := await _find_model(bus, options)):
        return []
    profile = find_profile(name) or EmbeddingProfile(name=name, dimension=0)
    findings = [Finding(name="embedding model", state="ok", detail=name)]
    if not has_floors(profile):
        detail = f"{name}: no similarity floor was measured, so a question that memory cannot answer gets the nearest memories"
        findings = [Finding(name="embedding model", state="limited", detail=detail, remedy=FLOOR_REMEDY)]
    for flow, record in sorted((await bus.config_get(FLOW)).items()):
        model = embeddings_model(record)
        if model and not makes_vectors_of(model, profile):
            detail = f"flow {flow} runs {model}, but memory has vectors of {name}: the flow's embeddings service is not asked"
            findings.append(Finding(name="embedding model", state="wrong", detail=detail, remedy=MODEL_REMEDY))
    return findings


async def check_embeddings_service(bus: MemoryBus, options: Options) -> list[Finding]:
    """Whether the flow's embeddings service answers with vectors of the memories' dimension.

    Raises: MemoryServiceError (of the memory services).
    """
    if not (name := await _find_model(bus, options)):
        return []
    profile = find_profile(name)
    model = embeddings_model((await bus.config_get(FLOW)).get(options.flow, "{}"))
    if model and profile and not makes_vectors_of(model, profile):
        return []  # it is not asked: ``check_embedding_model`` says so
    prefix = profile.passage_prefix if profile else ""
    finding = "embeddings service"
    try:
        vectors = await bus.embed([f"{prefix}Is anyone there?"], SERVICE_S)
    except MemoryServiceError as error:
        detail = f"memories are found by keyword only, and new ones wait: {error}"
        return [Finding(name=finding, state="unreachable", detail=detail, remedy=SERVICE_REMEDY)]
    size = len(vectors[0]) if len(vectors) == 1 else 0
    if not size or (profile and size != profile.dimension):
        detail = f"it gives {size} numbers for a text, but memory has vectors of {name}"
        return [Finding(name=finding, state="wrong", detail=detail, remedy=MODEL_REMEDY)]
    return [Finding(name=finding, state="ok", detail="responds")]


async def _deployment(options: Options) -> list[Finding]:
    """Broker, flow, agent and services of a deployment: whether each responds."""
    try:
        async with open_bus(options.address(options.bus), options) as bus:
            findings = [Finding(name="bus", state="ok", detail=f"the broker at {options.bus} responds")]
            try:
                await bus.check()
            except MemoryServiceError as error:
                state: Literal["wrong", "unreachable"] = "unreachable" if isinstance(error, EngineUnavailable) else "wrong"
                return [*findings, Finding(name="flow", state=state, detail=str(error), remedy=FLOW_REMEDY)]
            findings.append(Finding(name="flow", state="ok", detail=f"{options.flow} of workspace {options.workspace}"))
            findings += await asyncio.gather(*(_processor(bus, name) for name in (AGENT, *SERVICES)))
            return [*findings, *await _contents(bus, options, all_respond=all(found.state == "ok" for found in findings))]
    except MemoryServiceError as error:
        return [Finding(name="bus", state="unreachable", detail=str(error), remedy=BUS_REMEDY)]


async def _contents(bus: MemoryBus, options: Options, *, all_respond: bool) -> list[Finding]:
    """Checks at once: each waits for what does not answer.  One that fails is reported, unless a processor is already."""
    checks: dict[str, Awaitable[list[Finding]]] = {
        "settings": _check_configuration(bus),
        "patterns": _check_patterns(bus),
        "embedding model": check_embedding_model(bus, options),
        "embeddings service": check_embeddings_service(bus, options),
        "stores": _check_progress(bus, options),
        "job topic": _check_dead_letters(bus, options),
        "jobs": _check_arrival(bus, options),
    }

    async def run_check(name: str, check: Awaitable[list[Finding]]) -> list[Finding]:
        try:
            return await check
        except MemoryServiceError as error:
            detail = f"not checked: {error}"
        return [Finding(name=name, state="unreachable", detail=detail, remedy=AGAIN_REMEDY)] if all_respond else []

    return [finding for found in await asyncio.gather(*starmap(run_check, checks.items())) for finding in found]


async def _processor(bus: MemoryBus, name: str) -> Finding:
    try:
        await bus.check_service(name)
    except MemoryServiceError as error:
        return Finding(name=name, state="unreachable", detail=str(error), remedy=f"start {name}, or check its log")
    return Finding(name=name, state="ok", detail="responds")
