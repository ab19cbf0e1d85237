"""Any endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, llama-server, Ollama, LM Studio and others."""

import json
import logging
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx
from tenacity import RetryCallState, retry, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ..errors import QUOTA, TRIED, ConfigurationError, ModelAnswerError, ModelUnavailable, RateLimited, RequestRefused
from .chat import ChatModel, ChatPiece, ChatRequest, messages, response_format
from .server_events import read_events

logger = logging.getLogger(__name__)

CONNECT_S = 5.0
ON_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
READ_S = 300.0  # between two pieces of an answer: a large model on a small machine is slow to start
TRIES = 3
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 20.0
LONGEST_REASON = 200  # characters
DEEPEST_REASON = 4
#: Where endpoints write why they refuse, outermost first.  Others, such as "input", may quote the prompt.
REASONS = ("error", "message", "detail", "msg")

#: Fields that an endpoint may reject.  If it names none, the first ones are left out in turn.
OPTIONAL = ("response_format", "stream_options", "stop", "temperature", "max_tokens", "stream")
_UNNAMED = OPTIONAL[:3]


class FieldRejected(RequestRefused):
    """The endpoint rejects the request.  ``detail``: its reason."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


def _wait(state: RetryCallState) -> float:
    """The endpoint's Retry-After, else exponential backoff with jitter."""
    failure = state.outcome.exception() if state.outcome else None
    drawn = wait_random_exponential(multiplier=FIRST_WAIT_S, max=LONGEST_WAIT_S)(state)
    return float(min(LONGEST_WAIT_S, max(getattr(failure, "retry_after_s", 0.0), drawn)))


class OpenAIChatModel(ChatModel):
    """Rate limits, dropped connections and server errors are retried with backoff, until the first piece has arrived.

    ``key`` is sent and never logged or shown.  ``read_s``: longest time between two pieces; None: any.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str = "",
        where: str = "",
        stop: tuple[str, ...] = (),
        read_s: float | None = READ_S,
    ) -> None:
        self.name = name
        self.where = where or f"at {httpx.URL(base_url).netloc.decode()}"
        self._key = key
        self._stop = stop
        self._rejected: set[str] = set()  # optional fields that the endpoint does not know
        self._client = open_client(base_url, key, read_s=read_s)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatPiece, None]:
        response = await self._send(self._body(request))
        answer = _Answer(request.model or self.name)
        try:
            async for event in read_events(response.aiter_bytes()):
                if isinstance(event, str):
                    answer.keep(event)
                elif text := answer.add(self._decode(event.data)):
                    yield ChatPiece(text=text, model=answer.model)
        except httpx.HTTPError as error:
            raise ModelUnavailable(f"{self.name} {self.where} broke off its answer ({type(error).__name__})") from None
        finally:
            await response.aclose()
        if answer.unstreamed:  # the endpoint ignores ``stream``
            answer.add(self._decode(answer.unstreamed))
        if rest := answer.rest():
            yield ChatPiece(text=rest, model=answer.model)
        if not answer.said:
            raise ModelUnavailable(f"{self.name} {self.where} sent an empty answer ({answer.why_empty})")
        yield answer.totals()

    async def models(self) -> list[str]:
        try:
            response = await self._client.get("models", timeout=CONNECT_S)
            response.raise_for_status()
            return [str(entry["id"]) for entry in response.json()["data"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise ModelUnavailable(
                f"failed to list the models offered {self.where} ({type(error).__name__}): check OPENAI_BASE_URL"
            ) from None

    async def close(self) -> None:
        await self._client.aclose()

    async def _send(self, body: Mapping[str, Any]) -> httpx.Response:
        """Send the request, without the optional fields that the endpoint rejects.  Those are remembered."""
        fields = {key: value for key, value in body.items() if key not in self._rejected}
        while True:
            try:
                return await self._open(fields)
            except ModelUnavailable as error:  # callers must not try again, and see it by these words
                error.args = (f"{error} ({TRIED} {TRIES} times)",)
                raise
            except FieldRejected as error:
                named = [name for name in OPTIONAL if name in fields and name in error.detail]
                unnamed = [name for name in _UNNAMED if name in fields]
                if not named and not unnamed:
                    raise
                rejected = (named or unnamed)[0]
            logger.info("endpoint of %s rejects %s, retrying without it", self.name, rejected)
            if named and rejected != "response_format":  # a schema may be rejected for what it holds
                self._rejected.add(rejected)
            fields = {key: value for key, value in fields.items() if key != rejected}

    @retry(retry=retry_if_exception_type(ModelUnavailable), stop=stop_after_attempt(TRIES), wait=_wait, reraise=True)
    async def _open(self, body: Mapping[str, Any]) -> httpx.Response:
        request = self._client.build_request("POST", "chat/completions", json=body)
        try:
            response = await self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise ModelUnavailable(
                f"{self.name} {self.where} is not reachable ({type(error).__name__}): start it, or set OPENAI_BASE_URL"
            ) from None
        if response.status_code == 200:
            return response
        try:
            detail = self._reason(await response.aread())
        finally:
            await response.aclose()
        status = f"{self.name} {self.where} answered {response.status_code}"
        match response.status_code:
            case 429 if any(sign in detail.lower() for sign in QUOTA):
                raise ConfigurationError(f"{status}: {detail}")
            case 429:
                limited = RateLimited(
                    f"{status}: it limits the rate ({detail or 'no reason given'}); wait, or use another model"
                )
                limited.retry_after_s = _seconds(response.headers.get("retry-after", ""))
                raise limited
            case 401 | 403:
                raise ConfigurationError(f"{status}: check OPENAI_API_KEY{_quote(detail)}")
            case 404:
                raise ConfigurationError(
                    f"{status}: check OPENAI_BASE_URL and the model name {self.name!r} (OPENAI_MODEL){_quote(detail)}"
                )
            case code if code >= 500 or code == 408:
                raise ModelUnavailable(f"{status}: {detail}" if detail else status)
            case 400 | 422:
                raise FieldRejected(f"{status}: {detail}", detail)
            case _:
                raise RequestRefused(f"{status}: {detail}")

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": request.model or self.name,
            "messages": messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.max_tokens:
            body["max_tokens"] = request.max_tokens
        if form := response_format(request):
            body["response_format"] = form
        elif self._stop:
            body["stop"] = list(self._stop)
        return body

    def _reason(self, body: bytes) -> str:
        """The endpoint's own words on why it refuses, shortened and without the key; "" for a web page or nothing."""
        text = body.decode("utf-8", "replace").strip()
        try:
            text = _message_of(json.loads(text))
        except (ValueError, RecursionError):
            text = "" if text.startswith("<") else text
        text = " ".join(text.split())
        return (text.replace(self._key, "[key]") if self._key else text)[:LONGEST_REASON]

    def _decode(self, data: str) -> Mapping[str, Any]:
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise ModelAnswerError(f"{self.name} {self.where} sent invalid JSON") from None
        if not isinstance(chunk, dict) or chunk.get("error"):
            reason = self._reason(data.encode())
            raise ModelUnavailable(f"{self.name} {self.where} broke off its answer{reason and f': {reason}'}")
        return chunk


def open_client(base_url: str, key: str, *, read_s: float | None) -> httpx.AsyncClient:
    """A client of an endpoint.  Those on this machine are not asked through a proxy."""
    url = httpx.URL(base_url.rstrip("/") + "/")
    return httpx.AsyncClient(
        base_url=url,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=httpx.Timeout(read_s, connect=CONNECT_S),
        trust_env=url.host not in ON_THIS_MACHINE,
    )


class _Answer:
    """Assembles an answer from the chunks of a stream, or from one object.

    Native function calls become the text that the agent's parser reads.  ``reasoning_content`` is ignored.
    """

    def __init__(self, model: str) -> None:
        self.model = model
        self.said = False
        self._usage: Mapping[str, Any] = {}
        self._lines: list[str] = []
        self._chunks = 0
        self._unsent = ""
        self._calls: list[dict[str, str]] = []
        self._open_calls: dict[int, dict[str, str]] = {}
        self._finish = ""
        self._reasoned = False

    def keep(self, line: str) -> None:
        """Keep a line that is not an event: perhaps the endpoint does not stream."""
        if not self._chunks:
            self._lines.append(line)

    @property
    def unstreamed(self) -> str:
        return "" if self._chunks else "\n".join(self._lines)

    def add(self, chunk: Mapping[str, Any]) -> str:
        """The text of a chunk."""
        self._chunks += 1
        self.model = str(chunk.get("model") or self.model)
        self._usage = _mapping(chunk.get("usage")) or self._usage
        choice = _mapping(_first(chunk.get("choices")))
        self._finish = str(choice.get("finish_reason") or self._finish)
        message = _mapping(choice.get("delta")) or _mapping(choice.get("message"))
        self._reasoned |= bool(message.get("reasoning_content") or message.get("reasoning"))
        calls = message.get("tool_calls") or ([{"function": message["function_call"]}] if message.get("function_call") else [])
        for place, call in enumerate(calls if isinstance(calls, list) else []):
            self._add_call(_mapping(call), place)
        text = _content(message.get("content")) or str(message.get("refusal") or choice.get("text") or "")
        self.said |= bool(text.strip())
        if choice.get("message"):
            self._unsent += text
            return ""
        return text

    def _add_call(self, call: Mapping[str, Any], place: int) -> None:
        """Add a call or a part of one.  Some endpoints give every call the same index, or none; another id is another call."""
        index = str(call.get("index"))
        at = int(index) if index.isdecimal() else place
        given = str(call.get("id") or "")
        kept = self._open_calls.get(at)
        if kept is None or (given and kept["id"] and given != kept["id"]):
            kept = self._open_calls[at] = {"id": "", "name": "", "arguments": ""}
            self._calls.append(kept)
        kept["id"] = kept["id"] or given
        function = _mapping(call.get("function"))
        name, arguments = str(function.get("name") or ""), function.get("arguments")
        kept["name"] += name if name != kept["name"] else ""  # some repeat it with each part
        kept["arguments"] += json.dumps(arguments) if isinstance(arguments, dict) else str(arguments or "")

    def rest(self) -> str:
        """The text that was not returned yet."""
        calls = [_write_call(call) for call in self._calls if call["name"]]
        self.said |= bool(calls)
        return "\n".join([*([self._unsent] if self._unsent else []), *(f"\n{call}" for call in calls)])

    @property
    def why_empty(self) -> str:
        if self._finish == "length":
            return "its output limit is too low: raise it"
        if self._reasoned:
            return "it sent only reasoning: raise its output limit, or switch thinking off"
        return f"finish_reason {self._finish!r}: check that the endpoint speaks OpenAI's chat completions"

    def totals(self) -> ChatPiece:
        usage = self._usage
        return ChatPiece(
            in_tokens=_count(usage.get("prompt_tokens")),
            out_tokens=_count(usage.get("completion_tokens")),
            cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
            model=self.model,
            final=True,
        )


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _content(content: Any) -> str:
    """The text of a message, which may be a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _write_call(call: Mapping[str, str]) -> str:
    name = json.dumps(call["name"])
    return f'<tool_call>{{"name": {name}, "arguments": {call["arguments"].strip() or "{}"}}}</tool_call>'


def _message_of(error: Any, depth: int = 0) -> str:
    """The message of an error, which each endpoint nests in its own way; "" if there is none."""
    if isinstance(error, str):
        return error
    if depth > DEEPEST_REASON or not isinstance(error, dict | list):
        return ""
    nested = [error.get(name) for name in REASONS] if isinstance(error, dict) else error
    return next((text for each in nested if (text := _message_of(each, depth + 1))), "")


def _quote(detail: str) -> str:
    return f" (it says: {detail})" if detail else ""


def _seconds(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
