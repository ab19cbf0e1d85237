"""`keys`: who may use the HTTP listener."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from ..http.keys import ApiKey, KeyFile
from ..identity import default_user
from .application import app
from .console import escape
from .options import Session, command

keys_app = typer.Typer(help="Keys of the HTTP interface: who may use it, as whom.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")


@command(keys_app, "create")
async def create(
    session: Session,
    kind: Annotated[
        Literal["user", "service", "admin"],
        typer.Option(
            "--kind",
            help="user: one person. service: a gateway, which names the user in each request. admin: also what concerns "
            "several users.",
        ),
    ] = "user",
    user: Annotated[
        str | None,
        typer.Option(
            "--user", envvar="REACT_MEM_USER", show_default=False, help="Person of a user key. Default: your login name."
        ),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", show_default=False, help="Collection that the key may use; repeatable. Default: all."),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="The key cannot change memories.")] = False,
    label: Annotated[str, typer.Option("--label", help="What the key is for, as a note in the list.")] = "",
) -> None:
    """Make a key and print it. It is shown only once: only a digest is stored."""
    options = session.options
    owner = default_user() if user is None and kind == "user" else user or ""
    key, secret = await asyncio.to_thread(
        KeyFile(options.data_dir).create,
        kind,
        workspace=options.workspace,
        user=owner,
        collections=collection or (),
        writes=not read_only,
        label=label,
    )
    session.screen.say(escape(secret))
    session.screen.note(f"key {key.id} of {_owner(key)}; it is not shown again. Try it while `react-mem up` or `serve` runs:")
    session.screen.note(try_it(secret, key))
    session.screen.data({"key": secret, **_describe(key)})


def try_it(secret: str, key: ApiKey) -> str:
    """A command line that lists memories with this key."""
    from ..http.settings import HttpSettings

    settings = HttpSettings.load()
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    named = "" if key.kind == "user" else " -H 'X-Memory-User: NAME'"
    return f"curl -H 'Authorization: Bearer {secret}'{named} http://{host}:{settings.port}/v1/memories"


@command(keys_app, "list")
async def show(session: Session) -> None:
    """List the keys, without their secrets."""
    keys = await asyncio.to_thread(KeyFile(session.options.data_dir).list)
    columns = ["id", "kind", "user", "collections", "may", "created", "last used", "state", "label"]
    rows = [
        [
            key.id,
            key.kind,
            key.user,
            ", ".join(key.collections) or "all",
            "write" if key.writes else "read",
            key.created_at,
            key.last_used_at or "never",
            f"revoked {key.revoked_at}" if key.revoked_at else "valid",
            key.label,
        ]
        for key in keys
    ]
    session.screen.table("keys", columns, rows, empty="no keys: `react-mem keys create` makes one")
    session.screen.data({"keys": [_describe(key) for key in keys]})


@command(keys_app, "revoke")
async def revoke(
    session: Session, which: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as `keys list` shows it.")]
) -> None:
    """Revoke a key. Running listeners refuse it from their next request on."""
    key = await asyncio.to_thread(KeyFile(session.options.data_dir).revoke, which)
    session.screen.say(f"revoked key {key.id} of {escape(_owner(key))}")
    session.screen.data(_describe(key))


def _owner(key: ApiKey) -> str:
    return f"user {key.user}" if key.kind == "user" else f"kind {key.kind}"


def _describe(key: ApiKey) -> dict[str, object]:
    shown = {name: value for name, value in asdict(key).items() if name not in ("digest", "link_until")}
    return {"id": key.id, "prefix": key.prefix, **shown}
