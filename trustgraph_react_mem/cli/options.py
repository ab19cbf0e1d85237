"""The options of every command, and the frame that turns errors into one line and an exit code.

``EXIT_CODES`` lists the exit codes.
"""

import asyncio
import errno
import functools
import inspect
import os
import signal
from collections.abc import Callable, Coroutine
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ..bus.address import BusAddress
from ..bus.client_specs import error_class
from ..directories import PRIVATE_UMASK
from ..errors import BadRequest, MemoryServiceError
from ..identity import default_directory, default_user, login_name
from ..memory.scope import Scope
from ..telemetry import sdk
from .console import Screen, make_printable

CHECK_FAILED = 5
INTERRUPTED = 130
EXIT_CODES = {
    0: "success",
    1: "internal error, unusable model answer, or a confirmation that was declined",
    2: "usage error: an argument, option or value is wrong, or what it names does not exist",
    3: "configuration error: the environment, the data directory or the installation is wrong",
    4: "an engine or a model is not available, including every failure of a model's endpoint",
    CHECK_FAILED: "a check failed (doctor, forget, jobs wait)",
    INTERRUPTED: "interrupted",
}
_EXIT_CODES = {"ourselves": 1, "model": 1, "caller": 2, "operator": 3, "engine": 4}
_OF_ENDPOINTS = ("too-many-requests", "llm-error")  # errors of a model's endpoint on the bus, without a class of their own

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Skip confirmation.")]


def option(field_type: Any, *names: str) -> Any:
    """A command-line option with the range and the meaning of a field of a request (``memory.requests.fields``)."""
    [found] = field_type.__metadata__
    bounds = {type(each).__name__.lower(): each for each in found.metadata}
    least, most = (getattr(bounds.get(name), name, None) for name in ("ge", "le"))
    return typer.Option(*names, min=least, max=most, help=found.description)


def _common(names: str, env: str, help: str, *, show_default: bool = False, **more: Any) -> Any:
    panel = "Scope and stack"
    return typer.Option(*names.split(), envvar=env or None, help=help, show_default=show_default, rich_help_panel=panel, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options that every command has."""

    data_dir: Annotated[
        Path,
        _common(
            "--data",
            "REACT_MEM_HOME",
            "Data directory of the embedded stack. Default: react-mem in the user data directory.",
            default_factory=default_directory,
        ),
    ]
    user: Annotated[
        str,
        _common(
            "--user",
            "REACT_MEM_USER",
            "User whose memory is used. Default: your login name. '': the shared memory of the workspace.",
            default_factory=default_user,  # typer treats an empty variable as unset, but here it selects the shared memory
        ),
    ]
    collection: Annotated[
        str, _common("--collection", "REACT_MEM_COLLECTION", "Collection of this user.", show_default=True)
    ] = "default"
    model: Annotated[
        str,
        _common(
            "--model",
            "REACT_MEM_MODEL",
            "Language model: 'openai', 'ollama', 'local', 'scripted:FILE' or 'none'. Default: the first one available.",
        ),
    ] = ""
    bus: Annotated[
        str,
        _common(
            "--bus",
            "REACT_MEM_BUS",
            "Use the deployment whose broker has this address (pulsar://HOST:6650, amqp://HOST:5672). "
            "Default: the stack of the data directory.",
        ),
    ] = ""
    workspace: Annotated[str, _common("--workspace -w", "TRUSTGRAPH_WORKSPACE", "TrustGraph workspace.", show_default=True)] = (
        "default"
    )
    flow: Annotated[str, _common("--flow -f", "REACT_MEM_FLOW", "Flow of the workspace.", show_default=True)] = "default"
    pulsar_api_key: Annotated[str, _common("--pulsar-api-key", "PULSAR_API_KEY", "Token for this Pulsar.")] = field(
        default="", repr=False
    )
    pulsar_listener: Annotated[str, _common("--pulsar-listener", "", "Advertised listener of this Pulsar to use.")] = ""
    json_output: Annotated[bool, _common("--json", "", "Write JSON to standard output.", show_default=True)] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "data_dir", self.data_dir.expanduser().resolve())

    def address(self, url: str) -> BusAddress:
        """Of a broker, with this call's key and listener.  Raises: BadRequest."""
        return BusAddress(url=url, api_key=self.pulsar_api_key, listener=self.pulsar_listener)

    @property
    def scope(self) -> Scope:
        return Scope(workspace=self.workspace, user=self.user, collection=self.collection)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The options and the screen of a command."""

    options: Options
    screen: Screen

    @property
    def speaker(self) -> str:
        """The name under which the person at the command line speaks; in the shared memory the login name."""
        return self.options.user or login_name()

    @property
    def scope_fields(self) -> dict[str, Any]:
        """The scope fields of a request.  The workspace is part of the topic name."""
        scope = self.options.scope
        return {"user": scope.user, "collection": scope.collection}


def confirm(session: Session, yes: bool, question: str) -> None:
    """Ask before a destructive action.

    Raises:
        BadRequest: there is no terminal to ask at.
        typer.Exit: the answer is no.
        typer.Abort: Ctrl-C, or the end of input.
    """
    if yes:
        return
    if session.options.bus:
        question += f" In the deployment at {session.options.bus}."
    if session.options.json_output or not session.screen.out.is_terminal:
        raise BadRequest(f"{question} Cannot ask for confirmation without a terminal: repeat with --yes")
    # asyncio's handler would cancel this task, which cannot react while the prompt blocks.
    loop_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        agreed = typer.confirm(make_printable(question))
    finally:
        signal.signal(signal.SIGINT, loop_handler)
    if not agreed:
        session.screen.note("nothing was changed")
        raise typer.Exit(1)


Command = Callable[..., Coroutine[Any, Any, int | None]]


def command(app: typer.Typer, name: str) -> Callable[[Command], Command]:
    """Register ``async def f(session, ...) -> exit code or None`` with the common options added to its own."""

    def register(function: Command) -> Command:
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        taken = {parameter.name for parameter in own}
        hints = get_type_hints(Options, include_extras=True)
        common = {each.name: each.default for each in fields(Options) if each.name not in taken}

        @functools.wraps(function)
        def entry(**given: Any) -> None:
            chosen: dict[str, Any] = {"data_dir": default_directory(), "user": default_user()}
            chosen |= {each: given[each] for each in common}
            options = Options(**chosen)
            screen = Screen(json_output=options.json_output)
            work = {name: given[name] for name in taken}
            if code := run(screen, lambda: function(Session(options=options, screen=screen), **work)):
                raise typer.Exit(code)

        parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
        for each, default in common.items():
            given = inspect.Parameter.empty if default is MISSING else default
            parameters.append(inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, annotation=hints[each], default=given))
        entry.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        entry.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        app.command(name)(entry)
        return function

    return register


def run(screen: Screen, start: Callable[[], Coroutine[Any, Any, int | None]]) -> int:
    """Run a command.  Errors become one line and an exit code; Ctrl-C and SIGTERM close what was opened.

    The files that it and its engines write are readable by their owner alone.
    """
    os.umask(PRIVATE_UMASK)
    try:
        sdk.start("react-mem")
        return asyncio.run(_run_until_sigterm(start())) or 0
    except MemoryServiceError as error:
        screen.problem(str(error))
        return _EXIT_CODES[error.blame]
    except typer.Exit as leaving:
        return leaving.exit_code
    except (KeyboardInterrupt, asyncio.CancelledError, typer.Abort):
        screen.note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader closed the pipe, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:  # the outermost frame: one line by default, the traceback on request
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            screen.problem("no space is left on the device that is written to: free some, or write elsewhere")
            return _EXIT_CODES["operator"]
        if os.environ.get("REACT_MEM_DEBUG"):
            raise
        screen.problem(
            f"unexpected {type(error).__name__} ({error}): this is a bug in react-mem; "
            "please report it with the traceback that REACT_MEM_DEBUG=1 prints"
        )
        return _EXIT_CODES["ourselves"]
    finally:
        sdk.flush()  # the process ends with os._exit


async def until_stopped() -> None:
    """Ctrl-C and SIGTERM cancel this task.  The cancellation is caught so that the stack shuts down cleanly; another one ends
    the wait for running turns."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()


def exit_code_of(wire_type: str) -> int:
    """The exit code of an error that came over the bus."""
    if wire_type in _OF_ENDPOINTS:
        return _EXIT_CODES["engine"]
    return _EXIT_CODES[error_class(wire_type).blame]


async def _run_until_sigterm(work: Coroutine[Any, Any, int | None]) -> int | None:
    """asyncio.run already cancels on SIGINT.  Service managers send SIGTERM."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
