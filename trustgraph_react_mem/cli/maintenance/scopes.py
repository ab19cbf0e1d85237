"""`scopes`: join scopes whose names look the same."""

import json
from typing import Annotated, Any

import typer

from ...memory.requests import ListTwins, MergeTwins
from ..application import app
from ..connection import connect
from ..console import count_of, escape
from ..options import Session, YesOption, ask, command

MERGE_TIMEOUT_S = 600.0

scopes_app = typer.Typer(help="Users and collections: merge those that are stored in two spellings.", no_args_is_help=True)
app.add_typer(scopes_app, name="scopes")


@command(scopes_app, "merge")
async def merge(
    session: Session,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the scopes that would be merged.")] = False,
    yes: YesOption = False,
) -> None:
    """Merge scopes of the workspace whose names look the same, such as José typed on two keyboards.

    Older versions stored names as they were typed. The records are copied into the scope with the composed name, then the
    other one is erased. Ranking weights of the composed scope take precedence; memory that is off in either stays off.
    """
    async with connect(session) as bus:
        found: list[dict[str, Any]] = json.loads((await bus.call(ListTwins(**session.scope_fields))).data or "[]")
        rows = [[each["user"], each["collection"], ", ".join(map(_spell, each["twins"]))] for each in found]
        if found:
            session.screen.table("scopes in several spellings", ["user", "collection", "also stored as"], rows)
        else:
            session.screen.say("no two scopes look the same")
        done = []
        if found and not dry_run and (yes or session.options.json_output or ask(f"merge {count_of(len(found), 'scope')}?")):
            for each in found:
                wanted = MergeTwins(user=each["user"], collection=each["collection"])
                response = await bus.call(wanted, timeout_s=MERGE_TIMEOUT_S)
                done.append({**each, "new": response.count, "jobs": response.stats["jobs"].split(",")})
                session.screen.say(
                    f"{escape(each['user'])}/{escape(each['collection'])}: {count_of(response.count, 'record')} added, "
                    f"{count_of(len(each['twins']), 'scope')} being erased"
                )
    session.screen.data({"found": found, "merged": done})


def _spell(twin: dict[str, str]) -> str:
    """The letters of the names that tell the spellings apart."""
    return ascii(f"{twin['user']}/{twin['collection']}")
