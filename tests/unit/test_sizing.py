"""Queues in simulation, and the tables of docs/sizing.md from their figures."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.queueing import Load, Outcome, Plant, simulate
from bench.sizing import FIGURES, NEEDED, PAGE, Assumptions, figures, needed, page, per_second, simulated, table, units

pytestmark = pytest.mark.later

ROOT = Path(__file__).parents[2]
LOAD = Load(users=100_000)  # 14 turns a second at the peak
PLANT = Plant(partitions=1, workers=2, partition_rate=1000.0, worker_rate=20.0, graph_rate=100.0)


def run(**changed: float) -> Outcome:
    return simulate(LOAD, replace(PLANT, **changed), seconds=300)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- queues


@given(
    users=st.integers(1, 20_000),
    partitions=st.integers(1, 8),
    workers=st.integers(1, 8),
    rate=st.floats(0.5, 500),
    seed=st.integers(0, 1000),
)
def test_every_job_is_done_or_waits_and_nothing_works_more_than_all_the_time(
    users: int, partitions: int, workers: int, rate: float, seed: int
) -> None:
    plant = Plant(partitions=partitions, workers=workers, partition_rate=50 * rate, worker_rate=rate, graph_rate=2 * rate)
    found = simulate(Load(users=users), plant, seconds=60, seed=seed)
    assert found.done + found.backlog == found.jobs
    assert found.backlog >= 0
    assert 0 <= found.lag_p50_s <= found.lag_p95_s <= found.lag_p99_s
    assert all(0 <= share <= 1 for share in found.busy.values())
    assert found == simulate(Load(users=users), plant, seconds=60, seed=seed)


def test_below_saturation_the_lag_is_short_and_above_it_the_backlog_grows_with_time() -> None:
    assert run().saturated == ""
    assert run().lag_p95_s < 2
    slow = run(worker_rate=2.0)
    assert slow.saturated == "worker"
    expected = 300 * (LOAD.turns_per_second - 2 * 2.0)
    assert slow.backlog == pytest.approx(expected, rel=0.1)
    twice = simulate(LOAD, replace(PLANT, worker_rate=2.0), seconds=600)
    assert twice.backlog == pytest.approx(2 * slow.backlog, rel=0.1)


def test_more_workers_help_until_the_graph_is_full() -> None:
    alone, many = run(worker_rate=5.0), run(worker_rate=5.0, workers=8)
    assert alone.saturated == "worker"
    assert many.saturated == ""
    assert many.lag_p95_s < alone.lag_p95_s / 20
    graph = run(graph_rate=5.0, workers=8)
    assert graph.saturated == "graph"
    assert run(graph_rate=5.0, workers=64).backlog == pytest.approx(graph.backlog, rel=0.05)


def test_one_partition_that_is_full_is_relieved_by_others() -> None:
    assert run(partition_rate=10.0).saturated == "partition"
    assert run(partition_rate=10.0, partitions=4).saturated == ""


def test_one_user_keeps_one_worker_whatever_there_is_beside_it() -> None:
    """A key is never split: its order is what the queue is for."""
    load = Load(users=1, turns_per_user_day=86_400 * 4, peak_factor=1)
    found = simulate(load, replace(PLANT, workers=8, worker_rate=2.0), seconds=100)
    assert found.saturated == "worker"
    assert found.done == pytest.approx(200, rel=0.1)


@pytest.mark.parametrize("wrong", [{"users": 0}, {"workers": 0}, {"partitions": 0}])
def test_nothing_to_simulate_is_an_error(wrong: dict[str, int]) -> None:
    load = Load(users=wrong.pop("users", 10))
    with pytest.raises(ValueError, match="must be positive"):
        simulate(load, replace(PLANT, **wrong))  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- sizes


@pytest.fixture(scope="module")
def figure() -> dict[str, float]:
    return figures([FIGURES])


def test_a_unit_is_full_where_its_users_peak_meets_what_it_carries(figure: dict[str, float]) -> None:
    given = Assumptions()
    full = {one.unit: one.users for one in units(figure, given)}
    assert full["job worker, recording"] * per_second(given) == pytest.approx(figure["record_jobs_per_second"] * given.busy)
    assert list(full.values()) == sorted(full.values())
    assert all(users > 0 for users in full.values())


def test_twice_the_users_need_about_twice_of_everything(figure: dict[str, float]) -> None:
    def counts(users: int) -> dict[str, float]:
        numbers = ("agents", "facts services", "job workers", "graphs (cells)")
        found = needed(users, figure, Assumptions())
        return {name: float(found[name].replace(",", "")) for name in numbers}

    once, twice = counts(50_000_000), counts(100_000_000)
    for name, number in once.items():
        assert twice[name] == pytest.approx(2 * number, rel=0.1), name
    assert needed(1, figure, Assumptions())["agents"] == "1"


def test_the_page_has_the_tables_of_its_figures(figure: dict[str, float]) -> None:
    written = PAGE.read_text("utf-8")
    given = Assumptions()
    tables = {"tables": table(figure, given), "simulated": simulated(figure, given)}
    assert page(written, tables) == written, "run python -m bench.sizing --write"
    for value in (given.turns_per_user_day, given.memories_per_user, given.turn_s, given.model_jobs_per_turn, 100 * given.busy):
        assert f" {value:g} " in written, f"the page states another assumption than {value:g}"


def test_a_figure_that_is_missing_is_named_with_the_command_that_measures_it(tmp_path: Path) -> None:
    rows = [row for row in json.loads(FIGURES.read_text("utf-8")) if row["name"] != "record_jobs_per_second"]
    file = tmp_path / "bench.json"
    file.write_text(json.dumps(rows), "utf-8")
    with pytest.raises(ValueError, match=r"no row record_jobs_per_second; `make bench ONLY=record_jobs_per_second`"):
        figures([file])
    done = subprocess.run(
        [sys.executable, "-m", "bench.sizing", str(file)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 2
    assert "no row record_jobs_per_second" in done.stderr
    wrong = [sys.executable, "-m", "bench.sizing", "--turn-s", "0"]
    assert subprocess.run(wrong, capture_output=True, text=True, cwd=ROOT, check=False).returncode == 2


def test_the_rows_that_are_asked_for_are_those_that_are_measured() -> None:
    from bench import capacity, jobs, turn

    measured = {*capacity.NAMES, *jobs.NAMES, *turn.NAMES}
    assert set(NEEDED) <= measured
