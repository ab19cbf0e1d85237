"""How a native route is declared: at its handler.

Query and body are validated against pydantic models before the handler runs; errors name field, value and remedy.  The
OpenAPI document is made from the same declarations.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from aiohttp import web
from pydantic import BaseModel, ValidationError

from ...errors import BadRequest
from ...memory.requests import AnyRequest
from ..access import Access
from ..application import access_of
from ..client_metadata import TAKEN, pack_value
from ..guards import Credential, Handler, mark
from ..request_body import explain, note_ignored, read_object
from .models import Model, ScopeFields

Answer = BaseModel | web.StreamResponse
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Endpoint = Callable[..., Awaitable[Answer]]
"""Parameters: any of ``request``, ``access`` (to the memory it names), ``id`` (of the path), ``query`` and ``body``."""
Declared = TypeVar("Declared", bound=Endpoint)
Taken = TypeVar("Taken", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """``answers``: status -> model of the body, None for one that is not JSON.  ``once``: ``Idempotency-Key`` works.

    ``takes``: the parameters of the endpoint.
    """

    method: Method
    path: str
    summary: str
    endpoint: Endpoint
    tag: str
    query: type[Model] = Model
    body: type[Model] | None = None
    body_type: str = "application/json"
    answers: dict[int, type[BaseModel] | None]
    answer_type: str = "application/json"
    errors: Sequence[int] = ()
    once: bool = False
    credential: Credential = "required"
    takes: Sequence[str]

    def definitions(self) -> list[web.RouteDef]:
        """With and without a slash at the end: a redirect would lose the body in some clients."""
        handler = mark(credential=self.credential, once=self.once)(_handler(self))
        ends = ("", "/") if self.path.startswith("/v1/") else ("",)
        return [web.RouteDef(self.method, self.path + end, handler, {}) for end in ends]


class Routes(list[Route]):
    """The routes of a module, in the order of their handlers."""

    def route(self, method: Method, path: str, **fields: Any) -> Callable[[Declared], Declared]:
        """Decorator.  ``fields``: of ``Route``.  The summary is the first paragraph of the docstring, the models of query and
        body are those of the parameters, and that of the answer is what the endpoint returns."""

        def register(endpoint: Declared) -> Declared:
            hints = get_type_hints(endpoint)
            answered = hints.pop("return")
            fields.setdefault("answers", {200: answered})
            takes = list(hints)
            summary = " ".join((inspect.getdoc(endpoint) or "").partition("\n\n")[0].split())
            self.append(
                Route(
                    method=method,
                    path=path,
                    summary=summary,
                    endpoint=endpoint,
                    takes=takes,
                    query=hints.get("query", ScopeFields if "access" in takes and "body" not in takes else Model),
                    body=hints.get("body"),
                    **fields,
                )
            )
            return endpoint

        return register


def _handler(route: Route) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        query = read_query(request, route.query)
        body = await read_body(request, route.body) if route.body is not None else None
        given: dict[str, Any] = {"request": request, "query": query, "body": body, "id": request.match_info.get("id", "")}
        if "access" in route.takes:
            given["access"] = await reach(request, query, body)
        answer = await route.endpoint(**{name: given[name] for name in route.takes})
        return answer if isinstance(answer, web.StreamResponse) else answer_of(answer)

    return handle


def answer_of(answer: BaseModel, status: int = 200, **headers: str) -> web.Response:
    """The model as JSON."""
    return web.Response(text=answer.model_dump_json(), status=status, content_type="application/json", headers=headers)


def read_query(request: web.Request, model: type[Taken]) -> Taken:
    """Raises: BadRequest (a parameter is unknown, given twice, or has a wrong value)."""
    many = {name for name, each in model.model_fields.items() if "Sequence" in str(each.annotation)}
    values: dict[str, object] = {}
    for name in request.query:
        given = request.query.getall(name)
        if name not in model.model_fields:
            known = ", ".join(model.model_fields) or "none"
            raise BadRequest(f"the query parameter {name[:60]!r} is unknown here: remove it (there are: {known})")
        if name in many:
            values[name] = [part for value in given for part in value.split(",") if part]
        elif len(given) > 1:
            raise BadRequest(f"the query parameter {name!r} is given {len(given)} times: give it once")
        else:
            values[name] = given[0]
    return _validate(model, values, strict=False)


async def read_body(request: web.Request, model: type[Taken]) -> Taken:
    """Unknown fields are ignored, and named in the header ``X-Memory-Ignored`` of the answer.

    Raises: BadRequest (it is not a JSON object, or a field has a wrong value).
    """
    content = await read_object(request)
    for name, remedy in model.refused.items():
        if content.get(name):
            raise BadRequest(remedy)
    note_ignored(request, list(_find_unknown(content, model)))
    return _validate(model, content, strict=True)


def _find_unknown(given: dict[str, Any], model: type[Model], where: str = "") -> Iterator[str]:
    """The fields that the model has not, also of the objects in its lists."""
    for name, value in given.items():
        if name not in model.model_fields:
            yield where + name
            continue
        for inner in get_args(model.model_fields[name].annotation):
            if isinstance(inner, type) and issubclass(inner, Model) and isinstance(value, list):
                for place, part in enumerate(value):
                    if isinstance(part, dict):
                        yield from _find_unknown(part, inner, f"{where}{name}[{place}].")


def _validate(model: type[Taken], values: dict[str, object], *, strict: bool) -> Taken:
    try:
        return model.model_validate(values, strict=strict)
    except ValidationError as error:
        raise BadRequest(explain(error)) from None


Operation = TypeVar("Operation", bound=AnyRequest)


async def reach(request: web.Request, query: Model | None, body: Model | None = None) -> Access:
    """The memory that the request names in its query or its body.

    Raises: as ``access_of``, BadRequest (they differ).
    """
    named: dict[str, str] = {}
    for field in ("user_id", "collection"):
        given = {value for part in (query, body) if (value := getattr(part, field, ""))}
        if len(given) > 1:
            raise BadRequest(f"{field} differs between the query and the body: give it once")
        named[field] = given.pop() if given else ""
    return await access_of(request, user=named["user_id"], collection=named["collection"])


def copy_fields(operation: type[Operation], given: Model, **more: Any) -> Operation:
    """The operation with the fields that a query or body has under the same names, and ``more``."""
    names = {each.name for each in fields(operation)} - {"user", "collection", "operator"} - more.keys()
    return operation(**{name: value for name, value in given if name in names}, **more)


def texts(metadata: dict[str, Any]) -> dict[str, str]:
    """As records store it.  Raises: BadRequest (a name that records use themselves)."""
    if taken := TAKEN & metadata.keys():
        raise BadRequest(f"metadata has the name {min(taken)!r}, which records use themselves: choose another name")
    return {name: pack_value(value) for name, value in metadata.items()}
