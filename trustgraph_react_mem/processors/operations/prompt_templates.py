"""Prompt templates of a workspace: rendering them and parsing the answers, without I/O.

TrustGraph stores templates as configuration type ``prompt``, with the keys ``system`` and ``template.<id>``.  Templates that a
workspace does not define come from the defaults of this package.

ibis and jsonschema are optional packages, so they are imported where they are used.  The prompt service checks for them at
its start.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...config import REPLACED_PROMPTS, TEMPLATE_PREFIX, PromptEntry, describe_replaced, prompts, system_prompt
from ...errors import ConfigurationError, ModelAnswerError, NotFound
from ...memory.model_json import parse_json, parse_jsonl, read_items
from ...memory.text.reasoning import without_reasoning

logger = logging.getLogger(__name__)

# A limit on the length of a list ends the answer of a small model that repeats itself.  A list that is longer is read, because
# who uses it takes as many items as it can.
_FOR_SMALL_MODELS = "maxItems"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One template, compiled, with the format of its answer."""

    id: str
    template: Any
    response_type: Literal["text", "json", "jsonl"] = "text"
    schema: Mapping[str, Any] | None = None

    def render(self, terms: Mapping[str, Any]) -> str:
        """Raises: ConfigurationError (the template fails with these terms)."""
        return _render(self.template, terms, self.id)

    def read(self, answer: str) -> Any:
        """The object in a model's answer.  For ``jsonl``, a list of the objects that fit the schema.

        Raises:
            ModelAnswerError: no JSON, or JSON that does not fit the schema.  The message can be shown to the model.
        """
        answer = without_reasoning(answer)
        if self.response_type == "jsonl":
            return [value for value in parse_jsonl(answer) if not self._violations(value)]
        try:
            value = self._shape(answer, parse_json(answer))
        except ValueError as error:
            raise ModelAnswerError(str(error)) from None
        if violations := self._violations(value):
            whole = answer.count("{") <= answer.count("}")  # a field that is missing was not cut off
            value = self._without_broken_items(value, violations, bare=whole)
            if value is None:
                first = violations[0]
                rule = f"{first.validator} {json.dumps(first.validator_value)[:100]}"  # no text of the answer
                raise ModelAnswerError(f"the JSON does not fit the schema: {first.json_path} breaks {rule}")
        return value

    def _shape(self, answer: str, value: Any) -> Any:
        """The answer with the one list of objects of the schema in its place, see ``read_items``.

        Of an answer with several objects, such as one an item or a draft and its correction: the items of all, each once.
        """
        properties = (self.schema or {}).get("properties", {})
        lists = [key for key, each in properties.items() if each.get("items", {}).get("type") == "object"]
        if len(lists) != 1:
            return value
        key, text_key = lists[0], (properties[lists[0]]["items"].get("required") or [""])[0]
        items, others = read_items(value, key, text_key), value if isinstance(value, dict) else {}
        objects = [each for each in parse_jsonl(answer) if isinstance(each, dict)] if isinstance(value, dict) else []
        if len(objects) > 1:
            found = [item for each in objects for item in read_items(each, key, text_key) or ()]
            if found:
                items = [item for place, item in enumerate(found) if item not in found[:place]]
                others = value if key in value else {}
        if items is None:
            return value
        own = {name: each for name, each in others.items() if name in properties}
        return {**dict.fromkeys(_may_be_null(self.schema)), **own, key: items}

    def _without_broken_items(self, value: Any, violations: Sequence[Any], *, bare: bool) -> Any:
        """The object without the list items that violate the schema: of an answer that was cut off, the complete items.

        ``bare``: items may lack fields, because who uses an item checks what it needs; else only those that may be null.  A
        broken field that may be null becomes null.  None if no item is left of a list that has some, or if something else
        violates the schema.
        """
        if not isinstance(value, dict):
            return None
        broken: dict[str, set[int]] = {}
        empty: dict[str, None] = {}
        for error in violations:
            place = list(error.absolute_path)
            if place and _lacks_only_fields(error, any_field=bare):
                continue
            if place and place[0] in _may_be_null(self.schema):
                empty[str(place[0])] = None
                continue
            if len(place) < 2 or not isinstance(place[0], str) or not isinstance(place[1], int):
                return None
            broken.setdefault(place[0], set()).add(place[1])
        kept = {
            key: [item for number, item in enumerate(items) if number not in broken[key]] if key in broken else items
            for key, items in value.items()
        }
        return {**kept, **empty} if all(kept[key] for key in broken) else None

    def _violations(self, value: Any) -> list[Any]:
        """What violates the schema, except that a list is too long."""
        if self.schema is None:
            return []
        from jsonschema import Draft202012Validator

        return [each for each in Draft202012Validator(self.schema).iter_errors(value) if each.validator != _FOR_SMALL_MODELS]


def _may_be_null(schema: Mapping[str, Any] | None) -> list[str]:
    """The fields of an object that may be null.  Small models leave them out."""
    properties = (schema or {}).get("properties", {})
    return [name for name, each in properties.items() if isinstance(each.get("type"), list) and "null" in each["type"]]


def _lacks_only_fields(error: Any, *, any_field: bool) -> bool:
    """Whether the violation is that an object lacks fields, of those that may be null or, with ``any_field``, of all."""
    if error.validator != "required":
        return False
    return any_field or {*error.validator_value} - {*error.instance} <= {*_may_be_null(error.schema)}


class WorkspacePrompts:
    """The prompts of one workspace."""

    def __init__(self, configured: Mapping[str, str] | None = None) -> None:
        self._entries: dict[str, PromptEntry] = dict(prompts())
        self._broken: dict[str, str] = {}
        self._compiled: dict[str, Prompt] = {}
        system = system_prompt()
        for key, value in (configured or {}).items():
            try:
                decoded = json.loads(value)
            except (TypeError, ValueError):
                decoded = None
            if key == "system" and isinstance(decoded, str):
                system = decoded
            elif key.startswith(TEMPLATE_PREFIX):
                self._take(key.removeprefix(TEMPLATE_PREFIX), decoded)
        self._system = _template(system, "system")

    def _take(self, prompt_id: str, entry: Any) -> None:
        """Load one entry.  A broken one is skipped with a warning, so that the others still work."""
        if prompt_id in REPLACED_PROMPTS:
            logger.warning("%s", describe_replaced(prompt_id))
        if isinstance(entry, dict) and isinstance(entry.get("prompt"), str):
            self._entries[prompt_id] = entry  # type: ignore[assignment]
        else:
            self._broken[prompt_id] = f"prompt/template.{prompt_id} must be a JSON object with a text 'prompt'"
            logger.warning("loading a prompt failed: %s", self._broken[prompt_id])

    def system(self, terms: Mapping[str, Any]) -> str:
        return _render(self._system, terms, "system")

    def prompt(self, prompt_id: str) -> Prompt:
        """Raises: NotFound, ConfigurationError (the template is broken)."""
        if prompt_id in self._broken:
            raise ConfigurationError(self._broken[prompt_id])
        if prompt_id not in self._compiled:
            self._compiled[prompt_id] = self._compile(prompt_id)
        return self._compiled[prompt_id]

    def _compile(self, prompt_id: str) -> Prompt:
        entry = self._entries.get(prompt_id)
        if entry is None:
            raise NotFound(f"no prompt {prompt_id!r} in this workspace: store it as prompt/template.{prompt_id}")
        kind = entry.get("response-type", "text")
        if kind not in ("text", "json", "jsonl"):
            raise ConfigurationError(f"prompt/template.{prompt_id}: response-type {kind!r} is unknown: use text, json or jsonl")
        schema = entry.get("schema")
        from jsonschema import Draft202012Validator, SchemaError

        try:
            Draft202012Validator.check_schema(schema if schema is not None else {})
        except SchemaError as error:
            raise ConfigurationError(
                f"prompt/template.{prompt_id}: its schema is not a JSON Schema ({error.message[:100]})"
            ) from None
        return Prompt(id=prompt_id, template=_template(entry["prompt"], prompt_id), response_type=kind, schema=schema)


def _template(text: str, prompt_id: str) -> Any:
    import ibis

    try:
        return ibis.Template(text, prompt_id)
    except Exception as error:  # broad because ibis raises its own errors as well as plain exceptions
        raise ConfigurationError(f"prompt {prompt_id}: its template has an error ({type(error).__name__}: {error})") from None


def _render(template: Any, terms: Mapping[str, Any], prompt_id: str) -> str:
    try:
        return str(template.render(dict(terms)))
    except Exception as error:  # broad: any error of a filter, which may hold user text
        raise ConfigurationError(f"prompt {prompt_id} cannot be filled in ({type(error).__name__})") from None
