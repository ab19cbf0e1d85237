"""The running conversation as the prompt shows it: which exchanges, in which length, and which records that makes superfluous.

Invariant: a record counts as shown only if its whole text is in the prompt.  Everything else may be recalled.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from ..memory.records import turn_id
from ..memory.scope import Scope
from ..memory.tokens import count_tokens, cut_to_tokens
from ..schema import ConversationMemory, InvocationSummary
from .budget import LINE_TOKENS

SHORTEST = 20  # tokens of an exchange; a shorter excerpt is useless
MOST_ITEMS = 30  # of a list that is shortened item by item
_ITEM = re.compile(r"^[ \t]*(?:\d{1,3}[.)]|[-*•])[ \t]", re.MULTILINE)
EARLIER_SHARE = 0.25  # of the budget, for the summary of what was said before the exchanges


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The exchanges to show, oldest first.

    ``earlier``: summary of the conversation before them.  ``turn_ids``: records whose whole text the exchanges show.
    """

    conversation_id: str = ""
    exchanges: tuple[InvocationSummary, ...] = ()
    earlier: str = ""
    turn_ids: frozenset[str] = frozenset()
    tokens: int = 0


def read_thread(
    scope: Scope, stored: ConversationMemory | None, chat: Sequence[InvocationSummary], *, window: int, budget: int
) -> Thread:
    """Fit the conversation into ``budget`` tokens.

    ``stored``: the conversation of the store.  ``chat``: the exchanges as the client sent them, which take precedence.
    ``window``: number of newest exchanges to show.  Long exchanges are shortened.  An exchange is left out only if the budget
    has no room for an excerpt of it; there are no gaps.
    """
    if window < 1 or (stored is None and not chat):
        return Thread(conversation_id=stored.conversation_id if stored else "")
    known = stored.invocations if stored else []
    everything = _with_ids(chat, known) if chat else known
    summary = _earlier(stored, everything) if not chat else ""
    earlier, used = "", 0
    if summary:
        earlier = cut_to_tokens(summary, int(budget * EARLIER_SHARE) - LINE_TOKENS)
        used = LINE_TOKENS + count_tokens(earlier) if earlier else 0
    left = budget - used
    number = min(window, max(0, left) // (LINE_TOKENS + SHORTEST))
    newest = list(everything[-number:]) if number else []
    share = left // max(1, len(newest))
    sizes = [_size(exchange) for exchange in newest]
    shown: list[InvocationSummary] = []
    turn_ids: set[str] = set()
    for place in reversed(range(len(newest))):
        # Each older exchange is sure of an equal share.  The newest ones get what the others do not need.
        room = left - sum(min(size, share) for size in sizes[:place])
        exchange = _fit(newest[place], room)
        left -= _size(exchange)
        shown.insert(0, exchange)
        if stored is not None and exchange.id:
            whole = {"question": exchange.query == newest[place].query, "answer": exchange.result == newest[place].result}
            turn_ids |= {turn_id(scope, stored.conversation_id, exchange.id, part) for part in whole if whole[part]}
    return Thread(
        conversation_id=stored.conversation_id if stored else "",
        exchanges=tuple(shown),
        earlier=earlier,
        turn_ids=frozenset(turn_ids),
        tokens=used + sum(map(_size, shown)),
    )


def _size(exchange: InvocationSummary) -> int:
    return LINE_TOKENS + count_tokens(exchange.query) + count_tokens(exchange.result or exchange.summary)


def _fit(exchange: InvocationSummary, room: int) -> InvocationSummary:
    """The exchange in at most ``room`` tokens.  The answer gives way first: the person's words are not said elsewhere."""
    if _size(exchange) <= room:
        return exchange
    room -= LINE_TOKENS
    answer = exchange.result or exchange.summary
    asked = count_tokens(exchange.query)
    answer = _shorten_list(answer, room - min(asked, room // 2)) or answer
    for_query = min(asked, max(room - count_tokens(answer), room // 2))
    return replace(exchange, query=cut_to_tokens(exchange.query, for_query), result=cut_to_tokens(answer, room - for_query))


def _shorten_list(text: str, tokens: int) -> str:
    """Head and tail of each item of a list in at most ``tokens`` tokens, as "and the second one?" may follow.

    "" if the text is no list, or if there is no room for every item.
    """
    starts = [item.start() for item in islice(_ITEM.finditer(text), MOST_ITEMS + 1)]
    if not 2 <= len(starts) <= MOST_ITEMS or tokens < SHORTEST * (len(starts) + 1):
        return ""
    parts = [part for start, end in pairwise([0, *starts, len(text)]) if (part := text[start:end].strip())]
    left = tokens - len(parts)  # line breaks
    room: dict[int, int] = {}
    for count, (size, place) in enumerate(sorted((count_tokens(part), place) for place, part in enumerate(parts))):
        room[place] = min(size, left // (len(parts) - count))
        left -= room[place]
    shortened = "\n".join(cut_to_tokens(part, room[place]) for place, part in enumerate(parts))
    return shortened if count_tokens(shortened) <= tokens else ""


def _earlier(stored: ConversationMemory | None, exchanges: Sequence[InvocationSummary]) -> str:
    """The stored summary of older exchanges, if it ends before or within the newest ones."""
    if stored is None or int(stored.metadata.get("turns") or 0) <= len(exchanges):
        return ""
    return stored.metadata.get("summary", "")


def _with_ids(chat: Sequence[InvocationSummary], stored: Sequence[InvocationSummary]) -> list[InvocationSummary]:
    """The client's exchanges, with the ids of the stored ones that have the same texts."""
    ids = {(each.query.strip(), each.result.strip()): each.id for each in stored}
    return [replace(each, id=ids.get((each.query.strip(), each.result.strip()), "")) for each in chat]
