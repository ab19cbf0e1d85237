"""Language model calls of background jobs.

Each call respects the scope's daily token budget.  An answer in the wrong format is requested a second time, with the error
message in the prompt.
"""

import logging
from collections.abc import Callable, Mapping
from typing import TypeVar

from ..errors import BudgetExhausted, ModelAnswerError, NoModel, RequestRefused
from ..memory.model_json import read_items
from ..memory.ports import Completion, JsonValue
from ..memory.tokens import count_tokens
from .context import Work

logger = logging.getLogger(__name__)
T = TypeVar("T")


async def ask(work: Work, prompt_id: str, variables: Mapping[str, JsonValue], check: Callable[[Completion], T]) -> T:
    """Run a prompt and return ``check(completion)``.

    ``check`` converts the completion, or raises ValueError with a message for the model if the format is wrong.  The prompt
    is then run once more with that message.

    Raises:
        ModelUnavailable: it does not answer; NoModel: none is configured.
        ModelAnswerError: the second answer had the wrong format, too.
        RequestRefused: the model does not process this prompt.
        BudgetExhausted: the scope's tokens for today are used up.
    """
    try:
        return check(await _complete(work, prompt_id, {**variables, "repair": ""}))
    except (ValueError, ModelAnswerError) as error:
        if isinstance(error, ModelAnswerError) and error.corrected:
            raise
        reason = str(error) if isinstance(error, ValueError) else "it was not valid JSON"
    repair = f"Your last answer could not be used: {reason}. Answer again in exactly the form asked for."
    try:
        return check(await _complete(work, prompt_id, {**variables, "repair": repair}))
    except ValueError as error:
        raise ModelAnswerError(f"{prompt_id}: the answer could not be used after one repair: {error}") from None


async def ask_with_fallback(
    work: Work, fallback: T, prompt_id: str, variables: Mapping[str, JsonValue], check: Callable[[Completion], T]
) -> tuple[T, dict[str, int]]:
    """Like ``ask``, but returns ``fallback`` if no model is configured or its answers are unusable.

    Also returns a counter for the job's summary: ``unusable_answers``.  Raises ModelUnavailable (a configured model does not
    answer), BudgetExhausted.
    """
    try:
        return await ask(work, prompt_id, variables, check), {}
    except NoModel:
        return fallback, {}
    except (ModelAnswerError, RequestRefused) as error:
        logger.info("failed to use the model's answer to %s, using the fallback: %s", prompt_id, error.wire_type)
        return fallback, {"unusable_answers": 1}


async def _complete(work: Work, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
    if work.model is None:
        raise NoModel("no language model is configured for background work: configure one for this flow")
    store, limit = work.core.graph.job_store, work.settings.daily_token_budget
    day = work.core.clock.now().date().isoformat()
    if limit and await store.spend(work.scope, day, 0) >= limit:
        raise BudgetExhausted(f"the {limit} tokens of {day} are used up: raise daily-token-budget or wait")
    completion = await work.model.prompt(prompt_id, variables)
    used = completion.in_tokens + completion.out_tokens
    if not used:  # the model reports no token counts
        used = count_tokens(repr(variables)) + count_tokens(completion.text or repr(completion.object))
    await store.spend(work.scope, day, used)
    return completion


def json_items(completion: Completion, key: str) -> list[Mapping[str, JsonValue]]:
    """The objects in the list under ``key``, see ``read_items``.  Other items are skipped.

    Raises:
        ValueError: there is no list.
    """
    found = read_items(completion.object, key)
    if found is None:
        raise ValueError(f'a JSON object with a list "{key}" is needed')
    return [item for item in found if isinstance(item, dict)]
