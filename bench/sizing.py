"""Calculates the resources for a number of users from measured figures and stated assumptions, and writes tables.

    python -m bench.sizing [--write]                        # the tables of docs/sizing.md, from docs/sizing.json
    python -m bench.sizing build/bench.json build/capacity.json --users 50000 --turns-per-user-day 10

The files hold rows as written by ``make bench`` and ``python -m bench.capacity``.  Rows of later files override earlier ones.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from .queueing import DAY_S, Load, Plant, simulate

FIGURES = Path(__file__).parents[1] / "docs" / "sizing.json"
PAGE = FIGURES.with_suffix(".md")
NEEDED = {
    "turns_per_second_16": "make bench ONLY=turns_per_second_16",
    "record_jobs_per_second": "make bench ONLY=record_jobs_per_second",
    **dict.fromkeys(
        (
            "recalls_per_second",
            "jobs_published_per_second",
            "job_bytes",
            "graph_writes_per_second",
            "graph_writes_per_turn",
            "vector_writes_per_second",
            "graph_bytes_per_memory",
            "vector_bytes_per_memory",
            "hot_bytes_per_memory",
        ),
        "python -m bench.capacity",
    ),
}
POPULATIONS = (1_000, 1_000_000, 100_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """Assumptions about users and deployment.  Each can be changed on the command line."""

    turns_per_user_day: float = 4.0
    peak_factor: float = 3.0  # ratio of the busiest hour to the mean of the day
    memories_per_user: float = 500.0
    turn_s: float = 6.0  # the agent spends nearly all of it waiting for the model
    turns_per_session: float = 4.0
    session_s: float = 900.0  # seconds during which a scope is in use
    model_jobs_per_turn: float = 0.4  # extraction, episodes, and jobs at the end of a conversation
    model_call_s: float = 4.0
    busy: float = 0.6  # planned utilisation of every component
    in_flight_per_agent: float = 32.0
    model_lanes_per_worker: float = 100.0  # if the model serves them: the default of --model-lanes
    hot_gb_per_facts: float = 0.5  # limit of the retriever's cache
    gb_per_shard: float = 64.0
    shard_copies: float = 2.0
    gb_per_graph: float = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """A component, its capacity, and the number of users whose peak load fills it (up to ``busy``)."""

    unit: str
    carries: str
    users: float


def figures(files: Sequence[Path]) -> dict[str, float]:
    """Read the figures.  Raises: ValueError (names the missing row and the command that measures it)."""
    found: dict[str, float] = {}
    for file in files:
        found |= {row["name"]: float(row["value"]) for row in json.loads(file.read_text("utf-8"))}
    for name, command in NEEDED.items():
        if name not in found:
            raise ValueError(f"{', '.join(map(str, files))}: no row {name}; `{command}` measures it")
    return found


def per_second(given: Assumptions) -> float:
    """Turns per second of one user at the peak."""
    return given.turns_per_user_day * given.peak_factor / DAY_S


def graph_rate(figure: Mapping[str, float]) -> float:
    """Turns per second that one graph stores."""
    return figure["graph_writes_per_second"] / figure["graph_writes_per_turn"]


def units(figure: Mapping[str, float], given: Assumptions) -> list[One]:
    """The components, sorted by the number of users that fill them."""
    turns = per_second(given)
    gb_hot = given.hot_gb_per_facts * 1e9
    # share of users with a running session: turns per second / turns per session * length of a session
    sessions = turns * given.session_s / given.turns_per_session
    found = [
        One(
            unit="agent",
            carries=f"{_short(figure['turns_per_second_16'])} turns/s, {given.in_flight_per_agent:.0f} at once",
            users=min(figure["turns_per_second_16"] * given.busy, given.in_flight_per_agent / given.turn_s) / turns,
        ),
        One(
            unit="facts service, computing",
            carries=f"{_short(figure['recalls_per_second'])} recalls/s",
            users=figure["recalls_per_second"] * given.busy / turns,
        ),
        One(
            unit="facts service, memory",
            carries=f"{gb_hot / figure['hot_bytes_per_memory'] / given.memories_per_user:.0f} users in a session",
            users=gb_hot / figure["hot_bytes_per_memory"] / given.memories_per_user / sessions,
        ),
        One(
            unit="job worker, recording",
            carries=f"{_short(figure['record_jobs_per_second'])} turns/s",
            users=figure["record_jobs_per_second"] * given.busy / turns,
        ),
        One(
            unit="job worker, model lanes",
            carries=f"{given.model_lanes_per_worker / given.model_call_s:.3g} model jobs/s",
            users=given.model_lanes_per_worker / given.model_call_s / given.model_jobs_per_turn / turns,
        ),
        One(
            unit="partition of the job topic",
            carries=f"{_short(figure['jobs_published_per_second'])} confirmed jobs/s",
            users=figure["jobs_published_per_second"] * given.busy / (turns * (1 + given.model_jobs_per_turn)),
        ),
        One(
            unit="graph, writing",
            carries=f"{_short(graph_rate(figure))} turns/s ({_short(figure['graph_writes_per_turn'])} transactions each)",
            users=graph_rate(figure) * given.busy / turns,
        ),
        One(
            unit="graph, disk",
            carries=f"{given.gb_per_graph * 1e9 / figure['graph_bytes_per_memory'] / 1e6:.0f} million memories in "
            f"{given.gb_per_graph:.0f} GB",
            users=given.gb_per_graph * 1e9 / figure["graph_bytes_per_memory"] / given.memories_per_user,
        ),
        One(
            unit="Qdrant shard, writing",
            carries=f"{_short(figure['vector_writes_per_second'])} turns/s",
            users=figure["vector_writes_per_second"] * given.busy / turns,
        ),
        One(
            unit="Qdrant shard, disk",
            carries=f"{given.gb_per_shard * 1e9 / figure['vector_bytes_per_memory'] / 1e6:.1f} million memories in "
            f"{given.gb_per_shard:.0f} GB",
            users=given.gb_per_shard * 1e9 / figure["vector_bytes_per_memory"] / given.memories_per_user,
        ),
    ]
    return sorted(found, key=lambda one: one.users)


def needed(users: int, figure: Mapping[str, float], given: Assumptions) -> dict[str, str]:
    """The resources for ``users``, by name."""
    full = {one.unit: one.users for one in units(figure, given)}

    def count(*names: str) -> int:
        return max(math.ceil(users / full[name]) for name in names)

    peak = users * per_second(given)
    memories = users * given.memories_per_user
    shards = count("Qdrant shard, disk", "Qdrant shard, writing")
    return {
        "turns a second, mean and peak": f"{_short(users * given.turns_per_user_day / DAY_S)}, {_short(peak)}",
        "model calls at once (answers, background)": f"{_short(peak * given.turn_s)}, "
        f"{_short(peak * given.model_jobs_per_turn * given.model_call_s)}",
        "agents": _whole(count("agent")),
        "facts services": _whole(count("facts service, computing", "facts service, memory")),
        "job workers": _whole(count("job worker, recording", "job worker, model lanes")),
        "partitions of the job topics": _whole(count("partition of the job topic")),
        "job topics, an hour of backlog": _size(peak * 3600 * (1 + given.model_jobs_per_turn) * figure["job_bytes"]),
        "memories": _whole(round(memories)),
        "graph, disk": _size(memories * figure["graph_bytes_per_memory"]),
        "graphs (cells)": _whole(count("graph, writing", "graph, disk")),
        "vectors, disk, one copy": _size(memories * figure["vector_bytes_per_memory"]),
        f"Qdrant shards, times {given.shard_copies:.0f} copies": _whole(shards),
    }


def table(figure: Mapping[str, float], given: Assumptions, populations: Sequence[int] = POPULATIONS) -> str:
    """The tables as Markdown."""
    lines = ["| one | carries | is full at |", "|---|---|---|"]
    lines += [f"| {one.unit} | {one.carries} | {_whole(round(one.users))} users |" for one in units(figure, given)]
    columns = [needed(users, figure, given) for users in populations]
    lines += ["", "| | " + " | ".join(f"{_whole(users)} users" for users in populations) + " |"]
    lines += ["|---|" + "---|" * len(populations)]
    lines += [f"| {name} | " + " | ".join(column[name] for column in columns) + " |" for name in columns[0]]
    return "\n".join(lines)


def simulated(figure: Mapping[str, float], given: Assumptions, users: int = 1_000_000, seed: int = 0) -> str:
    """Markdown table of the simulated job topic at the peak of ``users``, with more workers and then a second graph."""
    load = Load(users=users, turns_per_user_day=given.turns_per_user_day, peak_factor=given.peak_factor)
    enough = max(1, math.ceil(load.turns_per_second / figure["record_jobs_per_second"]))
    graphs = max(1, math.ceil(load.turns_per_second / graph_rate(figure)))
    lines = ["| workers | graphs | remembered after p50, p95 | waiting after 10 minutes | busiest |", "|---|---|---|---|---|"]
    tried = [(max(1, enough // 2), graphs), (enough, graphs), (math.ceil(enough / given.busy), graphs)]
    if graphs > 1:
        tried.insert(0, (math.ceil(enough / given.busy), graphs - 1))
    tried.append((math.ceil(enough / given.busy), math.ceil(load.turns_per_second / graph_rate(figure) / given.busy)))
    for workers, stores in tried:
        # graphs share nothing, so several graphs are simulated as one that is several times faster
        plant = Plant(
            partitions=max(1, math.ceil(load.turns_per_second / figure["jobs_published_per_second"] / given.busy)),
            workers=workers,
            partition_rate=figure["jobs_published_per_second"],
            worker_rate=figure["record_jobs_per_second"],
            graph_rate=graph_rate(figure) * stores,
        )
        found = simulate(load, plant, seed=seed)
        busiest = max(found.busy, key=lambda name: found.busy[name])
        lines.append(
            f"| {workers} | {stores} | {_short(found.lag_p50_s)} s, {_short(found.lag_p95_s)} s | {_whole(found.backlog)} | "
            f"{busiest}, {found.busy[busiest]:.0%} |"
        )
    return "\n".join(lines)


def page(current: str, tables: Mapping[str, str]) -> str:
    """Insert the tables into the page, between their markers."""
    for name, text in tables.items():
        before, _, rest = current.partition(f"<!-- {name}: `python -m bench.sizing --write` -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        if not end:
            raise ValueError(f"the page has no markers for {name}")
        current = f"{before}<!-- {name}: `python -m bench.sizing --write` -->\n{text}\n{end}{after}"
    return current


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{round(value, 1 - math.floor(math.log10(value))):,.0f}"


def _whole(value: int) -> str:
    return f"{value:,}" if value < 1_000 else f"{int(round(value, 1 - math.floor(math.log10(value)))):,}"


def _size(value: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 999.5:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} PB"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sizing", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[FIGURES])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/sizing.md")
    parser.add_argument("--users", type=int, nargs="*", default=list(POPULATIONS))
    for field in fields(Assumptions):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=float, default=field.default)
    values = vars(parser.parse_args())
    given = Assumptions(**{field.name: values[field.name] for field in fields(Assumptions)})
    if any(value <= 0 for value in (*values["users"], *(getattr(given, field.name) for field in fields(given)))):
        print("every number must be greater than 0", file=sys.stderr)
        return 2
    try:
        figure = figures(values["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"reading the figures failed: {error}", file=sys.stderr)
        return 2
    tables = {"tables": table(figure, given, values["users"]), "simulated": simulated(figure, given)}
    if values["write"]:
        PAGE.write_text(page(PAGE.read_text("utf-8"), tables), "utf-8")
    print(tables["tables"])
    print(f"\nThe job topic at the peak of 1,000,000 users, simulated:\n\n{tables['simulated']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
