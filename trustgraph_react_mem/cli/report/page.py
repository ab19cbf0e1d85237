"""The page of a report.  It holds its own style and pictures, runs no script and asks no host for anything."""

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from statistics import median

from ... import __version__
from ...memory.tokens import count_tokens
from ...schema import Episode, Fact, JobStatus
from ..console import count_of
from ..jobs import describe_receipt
from ..views.learning import CURVES, WINDOW, judge, smooth
from ..views.timeline import read_moment
from .collect import MOST_DATED, PAGE, Replacement, Report
from .markup import Html, element, join
from .pictures import column_chart, line_chart, small_bar
from .style import STYLE

MOST_COLUMNS = 60  # of the chart over time
MOST_WEIGHTS, MOST_RECEIPTS = 12, 20
KINDS = {  # of memories
    "turn": "line of a conversation",
    "semantic": "fact",
    "procedural": "rule",
    "reflective": "reflection",
    "topic": "topic",
}


def render(report: Report) -> str:
    """The whole document."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"Memory of {_owner(report)}"
    head = element(
        "head",
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        element("title", title),
        element("style", Html(STYLE)),
    )
    sections = (_list_memories(report), _list_changes(report), _draw_learning(report), _cost(report), _render_left_out(report))
    made = f"Made by react-mem {__version__} on {report.made_at:%Y-%m-%d at %H:%M} UTC. Times are in UTC."
    body = element("body", element("header", element("h1", title), element("p", made)), element("main", *sections))
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _owner(report: Report) -> str:
    scope = report.scope
    return f"{scope.user or 'everyone (shared)'}, collection {scope.collection}"


def _section(name: str, title: str, *parts: str) -> Html:
    return element("section", element("h2", title, id=name), *parts, aria_labelledby=name)


# ------------------------------------------------------------------------------------------------------ remembered


def _list_memories(report: Report) -> Html:
    numbers = {KINDS.get(kind, kind): number for kind, number in report.counts.items() if number}
    numbers |= {"episode": report.episode_count, "conversation": report.conversation_count}
    tiles = [_tile(number, name) for name, number in numbers.items()]
    parts = [element("ul", *tiles, class_="tiles")]
    if report.profile is not None:
        parts += [element("h3", "Profile"), element("p", report.profile.content, dir="auto", class_="memory")]
    parts += _list("Rules", report.rules, report.counts.get("procedural", 0))
    others = sum(number for kind, number in report.counts.items() if kind not in ("turn", "procedural"))
    parts += _list("What was learned from conversations", report.memories, others)
    parts += _list("Newest lines of conversations", report.turns, report.counts.get("turn", 0))
    if report.episodes:
        parts.append(element("h3", f"Tasks{_of(len(report.episodes), report.episode_count)}"))
        parts.append(element("ul", *map(_episode, report.episodes), class_="records"))
    if not sum(report.counts.values()):
        parts.append(element("p", "Nothing is remembered here yet: `react-mem chat` begins a conversation."))
    return _section("remembered", "What is remembered", *parts)


def _tile(number: int, name: str) -> Html:
    words = "lines of conversations" if name == KINDS["turn"] and number != 1 else count_of(number, name).partition(" ")[2]
    return element("li", element("strong", str(number)), " ", words)


def _list(title: str, facts: Sequence[Fact], total: int) -> list[Html]:
    if not facts:
        return []
    return [element("h3", f"{title}{_of(len(facts), total)}"), element("ul", *map(_fact, facts), class_="records")]


def _of(shown: int, total: int) -> str:
    return f" ({shown} of {total}, newest first)" if shown < total else f" ({total})"


def _fact(fact: Fact) -> Html:
    notes = [
        KINDS.get(fact.kind, fact.kind) if fact.kind != "turn" else fact.speaker,
        (fact.timestamp or fact.created_at)[:10],
        f"from {fact.trust}" if fact.trust != "user" else "",
        f"until {fact.valid_to[:10]}" if fact.valid_to else "",
        f"cited {fact.uses} times" if fact.uses > 1 else "cited once" if fact.uses else "",
        f"version {fact.version}" if fact.version > 1 else "",
    ]
    told = " · ".join(note for note in notes if note)
    return element("li", element("span", fact.content, dir="auto", class_="memory"), element("small", told))


def _episode(episode: Episode) -> Html:
    outcome = "; ".join(part for part in (episode.outcome, episode.lessons) if part)
    state = "succeeded" if episode.succeeded else "failed"
    words = f"{episode.goal}: {outcome}" if outcome else episode.goal
    notes = [state, episode.timestamp[:10], count_of(len(episode.steps), "step")]
    return element(
        "li",
        element("span", words, dir="auto", class_="memory"),
        element("small", " · ".join(note for note in notes if note)),
    )


# --------------------------------------------------------------------------------------------------------- changed


def _list_changes(report: Report) -> Html:
    moments = [at for fact in report.dated if (at := read_moment(fact.created_at or fact.timestamp)) is not None]
    parts: list[Html] = []
    if moments:
        unit, columns = group_by_time(moments)
        covered = f" (the newest {MOST_DATED})" if len(report.dated) == MOST_DATED else ""
        parts.append(column_chart(columns, f"Memories stored per {unit}{covered}"))
    if report.changes:
        rows = [_change(change) for change in report.changes]
        head = element("thead", element("tr", *(element("th", name, scope="col") for name in ("replaced on", "before", "now"))))
        parts.append(element("h3", f"Replaced by something newer (the newest {len(rows)})"))
        parts.append(element("div", element("table", head, element("tbody", *rows)), class_="wide", tabindex="0"))
    elif moments:
        parts.append(element("p", "No memory was replaced by a newer one so far."))
    if not parts:
        parts.append(element("p", "Nothing has changed: nothing is remembered here yet."))
    return _section("changed", "How it changed", *parts)


def _change(change: Replacement) -> Html:
    new = change.new.content if change.new is not None else "(no longer stored, or not shown)"
    return element(
        "tr",
        element("td", change.old.superseded_at[:10]),
        element("td", change.old.content, dir="auto"),
        element("td", new, dir="auto"),
    )


def group_by_time(moments: Sequence[datetime]) -> tuple[str, list[tuple[str, int]]]:
    """The unit, and the number of moments in each from the first to the last, at most MOST_COLUMNS + 1 of them.

    >>> unit, columns = group_by_time([datetime(2026, 3, 1), datetime(2026, 3, 3, 12), datetime(2026, 3, 3)])
    >>> unit, columns
    ('day', [('2026-03-01', 1), ('2026-03-02', 0), ('2026-03-03', 2)])
    """
    days = sorted(moment.date() for moment in moments)
    span = (days[-1] - days[0]).days + 1
    size = next((size for size in (1, 7, 30, 365) if span <= size * MOST_COLUMNS), 365 * (1 + span // (365 * MOST_COLUMNS)))
    unit = {1: "day", 7: "week", 30: "30 days", 365: "365 days"}.get(size, f"{size} days")
    counts = Counter((day - days[0]).days // size for day in days)
    last: date = days[-1]
    return unit, [(f"{days[0] + timedelta(days=at * size)}", counts[at]) for at in range((last - days[0]).days // size + 1)]


# --------------------------------------------------------------------------------------------------------- learned


def _draw_learning(report: Report) -> Html:
    rows, policy = report.learning.get("rows") or [], report.learning.get("policy") or {}
    parts = [element("p", judge(policy, rows))]
    drawn = [smooth(rows, "citation_rate"), smooth(rows, "mrr_shown")]
    if any(len(values) > 1 for values in drawn):
        title = f"Citation rate (line) and reciprocal rank of the first cited memory (dashed), means of {WINDOW} turns"
        parts.append(line_chart(drawn, 0.0, 1.0, title, (_day(rows[0]), _day(rows[-1]))))
        figures = [(curve, means) for curve in CURVES if (means := smooth(rows, curve.name))]
        body = [[curve.title, f"{means[0]:.3g}", f"{means[-1]:.3g}", curve.meaning] for curve, means in figures]
        parts.append(_table(["figure", "first", "last", "meaning"], body))
    if weights := dict(list((policy.get("features") or {}).items())[:MOST_WEIGHTS]):
        most, two_sided = max(map(abs, weights.values())), any(value < 0 for value in weights.values())
        parts.append(element("h3", "Learned weights of the features"))
        parts.append(
            _table(
                ["feature", "weight", ""],
                [[name, f"{value:+.3f}", small_bar(value, most, two_sided=two_sided)] for name, value in weights.items()],
            )
        )
    return _section("learned", "What was learned", *parts)


def _day(row: Mapping[str, float]) -> str:
    return f"{datetime.fromtimestamp(float(row['at']), UTC):%Y-%m-%d}" if row.get("at") else ""


# ------------------------------------------------------------------------------------------------------------ cost


def _cost(report: Report) -> Html:
    parts: list[Html] = []
    if report.stages_ms:
        medians = {name: median(values) for name, values in report.stages_ms.items()}
        most, answers = max(medians.values()), max(map(len, report.stages_ms.values()))
        parts.append(element("h3", f"Time of an answer by stage (median of {count_of(answers, 'answer')})"))
        rows = [[name, f"{took:.1f} ms", small_bar(took, most)] for name, took in medians.items()]
        parts.append(_table(["stage", "time", ""], rows))
    if report.jobs:
        parts += [element("h3", "Background work"), _jobs(report.jobs)]
    shown = [*report.memories, *report.rules, *report.turns]
    if shown:
        tokens = sum(count_tokens(fact.content) for fact in shown)
        mean = f"about {tokens / len(shown):.0f} tokens each"
        parts.append(element("p", f"In a prompt, the memories of this page need {mean} (estimated)."))
    if receipts := report.receipts[:MOST_RECEIPTS]:
        parts.append(element("h3", "Erasures"))
        rows = [[job.updated_at[:10], describe_receipt(receipt)] for job, receipt in receipts]
        parts.append(_table(["ended on", "receipt"], rows))
    if not parts:
        parts.append(element("p", "Nothing was spent: there was no answer with memory and no background work."))
    return _section("cost", "What it cost", *parts)


def _jobs(jobs: Sequence[JobStatus]) -> Html:
    kinds = Counter(job.kind for job in jobs)
    states = {kind: Counter(job.status for job in jobs if job.kind == kind) for kind in kinds}
    most = max(kinds.values())
    rows = [
        [kind, str(number), ", ".join(f"{each} {state}" for state, each in states[kind].items()), small_bar(number, most)]
        for kind, number in kinds.most_common()
    ]
    return _table(["kind of job", "number", "state", ""], rows)


# -------------------------------------------------------------------------------------------------------- left out


def _render_left_out(report: Report) -> Html:
    listed = len(report.memories) + len(report.turns) + len(report.rules)
    total = sum(report.counts.values())
    notes = [
        f"{count_of(total - listed, 'memory')} of {total} not listed" if total > listed else "",
        f"{_at_least(report.held_back)} held back because their source is not trusted" if report.held_back else "",
        f"{_at_least(report.undone)} undone" if report.undone else "",
        f"{count_of(report.switched_off, 'record')} of conversations in which reading is switched off"
        if report.switched_off
        else "",
        f"{report.conversation_count - len(report.conversations)} of {report.conversation_count} conversations not examined"
        if report.conversation_count > len(report.conversations)
        else "",
    ]
    items = [element("li", note) for note in notes if note]
    always = "Erased memories, and memories of other users and collections, are never part of a report."
    return _section("left-out", "What is not on this page", element("ul", *items, element("li", always)))


def _at_least(number: int) -> str:
    return f"{PAGE} or more memories" if number >= PAGE else count_of(number, "memory")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    head = element("tr", *(element("th", name, scope="col") if name else Html("<td></td>") for name in columns))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    table = element("table", element("thead", head), element("tbody", *body))
    return element("div", join(table), class_="wide", tabindex="0")
