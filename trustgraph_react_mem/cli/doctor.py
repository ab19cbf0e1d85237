"""The checks of `doctor`: program, engines, data directory, running stack and models; with ``--bus``, the broker, flow and
processors of a deployment.  Those that ask a service raise MemoryServiceError."""

import asyncio
import importlib.metadata
import os
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import chain, starmap
from pathlib import Path

from .. import __version__
from ..bus.embedder import FLOW, embeddings_model
from ..bus.external_client import MemoryBus
from ..config import REPLACED_PROMPTS, TEMPLATE_PREFIX, describe_replaced
from ..errors import ConfigurationError, EngineUnavailable, MemoryServiceError
from ..extras import LOCAL, PACKAGES, import_failure, install_command, missing_packages
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

Findings = AsyncIterator[Finding]

LEAST_FREE_BYTES = 2 * 2**30  # the local model takes 1.1 GB
UNREADABLE = "undecodable"  # trigger of the jobs that stand for messages that could not be read
ARRIVAL_S = 10.0
SERVICE_S = 10.0  # for a service, beyond the time that it waits by itself
DEAD_REMEDY = (
    "`react-mem jobs list --status dead` shows them; once the cause is removed, `react-mem jobs replay ID` runs one again, and "
    "`react-mem jobs drop ID` deletes it"
)
MODEL_REMEDY = (
    "set REACT_MEM_EMBEDDING_PROFILE of all memory processors to the flow's model (the memories are embedded again), or start "
    "the flow with the model of the memories"
)


async def diagnose(options: Options) -> list[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    program = Finding("program", "ok", f"react-mem {__version__}, Python {python}, {os.cpu_count()} cores")
    if options.bus:
        return [program, *[each async for each in _deployment(options)]]
    stack = [each async for each in _stack(options)]
    return [program, *_engines(), *_data(options.data_dir), *stack, *await check_models(os.environ)]


def _engines() -> Iterator[Finding]:
    remedy = install_command("local")
    for module in LOCAL:
        package = PACKAGES[module]
        if missing_packages(module):
            yield Finding(package, "missing", "needed by the embedded stack", remedy)
        elif failure := import_failure(module):
            yield Finding(package, "wrong", f"installed, but cannot be imported ({failure})", f"reinstall it: {remedy}")
        else:
            yield Finding(package, "ok", importlib.metadata.version(package))


def _data(directory: Path) -> Iterator[Finding]:
    name, there = "data directory", directory.exists()
    existing = next(parent for parent in (directory, *directory.parents) if parent.exists())
    if not os.access(existing, os.W_OK):
        yield Finding(name, "wrong", f"{existing} is not writable", "choose another with --data or REACT_MEM_HOME")
    elif there and (mode := stat.S_IMODE(directory.stat().st_mode)) & 0o077:
        yield Finding(name, "wrong", f"{directory} is readable by other users ({mode:o})", f"chmod 700 {directory}")
    else:
        yield Finding(name, "ok", str(directory) if there else f"{directory} (created at the first start)")
    free = shutil.disk_usage(existing).free
    if free < LEAST_FREE_BYTES:
        remedy = f"free {LEAST_FREE_BYTES / 2**30:.0f} GB, or choose a directory on another disk with --data"
        yield Finding("disk", "wrong", f"{free / 2**30:.1f} GB free at {existing}", remedy)


async def _stack(options: Options) -> Findings:
    running = running_stack(options.data_dir)
    if running is None:
        yield Finding("stack", "ok", "not running: each command starts its own; `react-mem up` keeps one running")
        return
    where = f"process {running.pid}"
    try:
        async with open_bus(running.address, options) as bus:
            await bus.check()
            await bus.check_service(FACTS)
            checks = check_progress(bus, options), check_dead_letters(bus, options), check_configuration(bus)
            found = [each for check in checks async for each in check]
    except MemoryServiceError as error:
        yield Finding("stack", "unreachable", f"{where}: {error}", "stop it and run `react-mem up` again")
        return
    for each in (Finding("stack", "ok", where), *found):
        yield each


async def check_configuration(bus: MemoryBus) -> Findings:
    """Settings, tools and prompts of the workspace that are not used, each with the cause.  Another program may store any."""
    remedy = "`react-mem settings KEY=VALUE` stores another value, `react-mem settings --unset KEY` removes it"
    for key, raw in sorted((await bus.config_get("agent-mem")).items()):
        try:
            parse_agent_mem(raw, f"agent-mem/{key}")
        except ConfigurationError as error:
            yield Finding("settings", "wrong", f"{error}; this entry is not used", remedy)
    remedy = "repair the entry, or delete it with `tg-delete-tool`; a tool that is left out is not offered to the model"
    for text in load_tools(await bus.config_get("tool"), await bus.config_get("tool-service")).warnings:
        yield Finding("tools", "wrong", text, remedy)
    stored = await bus.config_get("prompt")
    remedy = "move what you changed in it to prompt/template.memory-understand, then delete it: `tg-delete-config-item`"
    for name in REPLACED_PROMPTS:
        if TEMPLATE_PREFIX + name in stored:
            yield Finding("prompts", "limited", describe_replaced(name), remedy)


async def check_patterns(bus: MemoryBus) -> Findings:
    """Whether the agent runs plan-then-execute and supervisor."""
    if await bus.find_missing_pattern():
        detail = "plan-then-execute and supervisor do not run: such requests are processed step by step"
        remedy = "install trustgraph-flow beside the agent (`pip install trustgraph-flow`); the container image has it"
        yield Finding("patterns", "limited", detail, remedy)
    else:
        yield Finding("patterns", "ok", "plan-then-execute and supervisor run")


async def check_arrival(bus: MemoryBus, options: Options) -> Findings:
    """Whether a job that is published now comes back from the broker and is run."""
    idle = WaitUntilIdle(user=options.user, collection=options.collection, kind="record", timeout_s=ARRIVAL_S)
    if left := (await bus.call(idle, ARRIVAL_S + SERVICE_S)).count:
        detail = f"{left} jobs did not end within {ARRIVAL_S:g} s: turns are remembered late, or not at all"
        remedy = "read the log of agent-memory-jobs, and the backlog of its subscription at the broker; start more of it"
        yield Finding("jobs", "wrong", detail, remedy)


async def check_dead_letters(bus: MemoryBus, options: Options) -> Findings:
    """Messages of the workspace's job topic that could not be read, and jobs of the scope that failed for good."""
    dead = (await bus.call(ListJobs(status="dead", limit=MOST_LISTED, user=options.user, collection=options.collection))).jobs
    if unreadable := sum(job.trigger == UNREADABLE for job in dead):
        detail = f"{count_of(unreadable, 'message')} of the job topic of workspace {options.workspace} could not be read"
        yield Finding("job topic", "wrong", detail, DEAD_REMEDY)
    if failed := [job for job in dead if job.trigger != UNREADABLE]:
        detail = f"{count_of(len(failed), 'job')} failed for good, last {failed[0].kind}: {failed[0].error}"
        yield Finding("jobs", "limited", detail, DEAD_REMEDY)


async def check_progress(bus: MemoryBus, options: Options) -> Findings:
    """A migration, a repair, and records without a vector."""
    stats = await _stats(bus, options)
    if progress := describe_migration(stats):
        yield Finding("embedding model", "ok", progress)
    if (left := stats.get("scopes_to_repair", "0")) != "0":
        detail = f"graph and vectors differ in {left} scopes, which are being repaired in the background"
        yield Finding("stores", "wrong", detail, "wait; the log of the jobs service has progress")
    if refused := int(stats.get("records_without_vector", "0")):
        detail = f"{refused} records have no vector, because the embedding model refused their text: found by keyword only"
        yield Finding("vectors", "wrong", detail, "use a model that takes them, and run `react-mem jobs submit reembed`")


async def _stats(bus: MemoryBus, options: Options) -> Mapping[str, str]:
    return (await bus.call(GetJobStats(user=options.user, collection=options.collection))).stats


async def check_embedding_model(bus: MemoryBus, options: Options) -> Findings:
    """The embedding model of the memories, whether it has a similarity floor, and the flows that run another model."""
    if not (name := (await _stats(bus, options)).get("embedding", "")):
        return  # the jobs service is of a version that does not say
    profile = find_profile(name) or EmbeddingProfile(name=name, dimension=0)
    if profile.fact_floor:
        yield Finding("embedding model", "ok", name)
    else:
        detail = f"{name}: no similarity floor was measured, so a question that memory cannot answer gets the nearest memories"
        remedy = "set similarity-threshold between the similarities of answerable and other questions in `memories search`"
        yield Finding("embedding model", "limited", detail, remedy)
    for flow, record in sorted((await bus.config_get(FLOW)).items()):
        model = embeddings_model(record)
        if model and not makes_vectors_of(model, profile):
            detail = f"flow {flow} runs {model}, but memory has vectors of {name}: the flow's embeddings service is not asked"
            yield Finding("embedding model", "wrong", detail, MODEL_REMEDY)


async def check_embeddings_service(bus: MemoryBus, options: Options) -> Findings:
    """Whether the flow's embeddings service answers with vectors of the memories' dimension."""
    if not (name := (await _stats(bus, options)).get("embedding", "")):
        return
    profile = find_profile(name)
    model = embeddings_model((await bus.config_get(FLOW)).get(options.flow, "{}"))
    if model and profile and not makes_vectors_of(model, profile):
        return  # it is not asked: ``check_embedding_model`` says so
    prefix = profile.passage_prefix if profile else ""
    try:
        vectors = await bus.embed([f"{prefix}Is anyone there?"], SERVICE_S)
    except MemoryServiceError as error:
        detail = f"memories are found by keyword only, and new ones wait: {error}"
        remedy = "start TrustGraph's embeddings service of this flow, or check its log"
        yield Finding("embeddings service", "unreachable", detail, remedy)
        return
    size = len(vectors[0]) if len(vectors) == 1 else 0
    if not size or (profile and size != profile.dimension):
        detail = f"it gives {size} numbers for a text, but memory has vectors of {name}"
        yield Finding("embeddings service", "wrong", detail, MODEL_REMEDY)
    else:
        yield Finding("embeddings service", "ok", "responds")


async def _deployment(options: Options) -> Findings:
    """Broker, flow, agent and services of a deployment: whether each responds."""
    try:
        async with open_bus(options.address(options.bus), options) as bus:
            yield Finding("bus", "ok", f"the broker at {options.bus} responds")
            try:
                await bus.check()
            except MemoryServiceError as error:
                remedy = "start the flow from a blueprint with memory, or choose another with --workspace and --flow"
                away = isinstance(error, EngineUnavailable)
                yield Finding("flow", "unreachable" if away else "wrong", str(error), remedy)
                return
            yield Finding("flow", "ok", f"{options.flow} of workspace {options.workspace}")
            found = await asyncio.gather(*(_processor(bus, name) for name in (AGENT, *SERVICES)))
            all_respond = all(each.state == "ok" for each in found)
            for each in (*found, *await check_contents(bus, options, all_respond=all_respond)):
                yield each
    except MemoryServiceError as error:
        remedy = "check --bus, --pulsar-api-key and --pulsar-listener, and whether the broker is running"
        yield Finding("bus", "unreachable", str(error), remedy)


async def check_contents(bus: MemoryBus, options: Options, *, all_respond: bool) -> list[Finding]:
    """Checks at once: each waits for what does not answer.  One that fails is reported, unless a processor is already."""
    checks: dict[str, Findings] = {
        "settings": check_configuration(bus),
        "patterns": check_patterns(bus),
        "embedding model": check_embedding_model(bus, options),
        "embeddings service": check_embeddings_service(bus, options),
        "stores": check_progress(bus, options),
        "job topic": check_dead_letters(bus, options),
        "jobs": check_arrival(bus, options),
    }

    async def run_check(name: str, check: Findings) -> list[Finding]:
        try:
            return [each async for each in check]
        except MemoryServiceError as error:
            remedy = "run `react-mem doctor` again; if it fails again, read the logs of the agent and the memory services"
            return [Finding(name, "unreachable", f"not checked: {error}", remedy)] if all_respond else []

    return list(chain.from_iterable(await asyncio.gather(*starmap(run_check, checks.items()))))


async def _processor(bus: MemoryBus, name: str) -> Finding:
    try:
        await bus.check_service(name)
    except MemoryServiceError as error:
        return Finding(name, "unreachable", str(error), f"start {name}, or check its log")
    return Finding(name, "ok", "responds")
