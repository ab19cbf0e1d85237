"""The measured part of docs/comparison.md, as Markdown."""

import statistics
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.coverage import KS
from bench.page import write_between
from bench.paired import bootstrap_interval

from .measured import File
from .products import OURS, PRODUCTS

PAGE = Path("docs/comparison.md")
BEGIN, END = "<!-- peers: written by `make peers WRITE=1` -->", "<!-- end of peers -->"

Figures = Mapping[str, Mapping[str, Any]]  # product -> figures


def tables(files: Sequence[File], found: Mapping[str, Figures], model: str, missing: Sequence[str]) -> str:
    """``found``: by the file's name.  ``missing``: what could not be measured, and why."""
    parts = [f"Measured on {date.today():%d %B %Y}, with {model} for all. " + _versions(found)]
    for file in files:
        dialogues = f"{len(file.work)} dialogue{'s' if len(file.work) > 1 else ''}"
        heading = f"**{file.name}**: {dialogues}, {file.memories} turns, {file.questions} questions"
        parts.append(f"{heading}\n\n{_coverage(found[file.name])}")
    parts.append(_costs(found))
    parts += [f"Not measured: {each}" for each in missing]
    return "\n\n".join(parts)


def _versions(found: Mapping[str, Figures]) -> str:
    versions = {name: figures["version"] for each in found.values() for name, figures in each.items()}
    return "Versions: " + ", ".join(f"{title(name)} {version}" for name, version in versions.items()) + "."


def title(name: str) -> str:
    return next(product.title for product in PRODUCTS if product.name == name)


def _coverage(figures: Figures) -> str:
    lines = ["| | @5 | @10 | @20 | ours above it, @10 | tokens@10 |", "|---|---|---|---|---|---|"]
    for name, each in figures.items():
        shown = " | ".join(f"{each[f'coverage@{k}']:.1f}" for k in KS)
        lines.append(f"| {title(name)} | {shown} | {_difference(figures, name)} | {each['tokens@10']:.0f} |")
    return "\n".join(lines)


def _difference(figures: Figures, name: str) -> str:
    """Points by which ours is ahead, with the 95 % interval."""
    if name == OURS.name or OURS.name not in figures:
        return ""
    mine, others = (figures[each]["each"]["coverage@10"] for each in (OURS.name, name))
    low, high = bootstrap_interval(mine, others)
    return f"{statistics.fmean(mine) - statistics.fmean(others):+.1f} ({low:+.1f} to {high:+.1f})"


def _costs(found: Mapping[str, Figures]) -> str:
    lines = [
        "| | store one turn, p50, p95 | ratio | search, p50, p95 | ratio | texts embedded per turn | disk per turn | memory |",
        "|---|---|---|---|---|---|---|---|",
    ]
    costs = {product.name: cost for product in PRODUCTS if (cost := costs_of(found, product.name))}
    ours = costs.get(OURS.name)
    for name, cost in costs.items():
        store, search = (cost[key] / ours[key] if ours else float("nan") for key in ("store_p50", "search_p50"))
        lines.append(
            f"| {title(name)} | {cost['store_p50']:.2f}, {cost['store_p95']:.2f} ms | {store:.2g} "
            f"| {cost['search_p50']:.1f}, {cost['search_p95']:.1f} ms | {search:.2g} | {cost['embedded']:.1f} "
            f"| {_kilobytes(cost['disk'])} | {cost['memory_mb']:.0f} MB |"
        )
    return "\n".join(lines)


def costs_of(found: Mapping[str, Figures], name: str) -> dict[str, float]:
    """Means over the files; memory is the largest.  Empty if the product was not measured."""
    rows = [figures[name] for figures in found.values() if name in figures]
    if not rows:
        return {}
    memories = sum(row["memories"] for row in rows)
    costs = {
        f"{kind}_{point}": statistics.fmean(row[f"{kind}_ms"][point] for row in rows)
        for kind in ("store", "search")
        for point in ("p50", "p95")
    }
    return costs | {
        "embedded": sum(row["embedded_per_memory"] * row["memories"] for row in rows) / memories,
        "disk": sum(row["disk_bytes"] for row in rows) / memories,
        "memory_mb": max(row["memory_mb"] for row in rows),
    }


def _kilobytes(size: float) -> str:
    return f"{size / 1000:.1f} kB" if size else "none"


def write(text: str, page: Path = PAGE) -> None:
    """Replace the measured part of the page.  Raises: ValueError (the page has no such part)."""
    write_between(page, BEGIN, END, text)
