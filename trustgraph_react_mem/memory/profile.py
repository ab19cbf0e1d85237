"""The profile of a person: a short standing summary, stored as one reflective fact.

Each sentence names the facts that it rests on, so that it is shown only while all of them hold.  The record depends on every
fact that it was made from: it is erased or undone with any of them.  A new profile supersedes the former one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .digest import content_digest
from .tokens import count_tokens

#: Metadata keys of a profile: the digest of all facts that it was made from, and its sentences.
PROFILE, SENTENCES = "profile", "sentences"
PROFILE_SOURCE = "react-mem.profile"  # ``source`` of every profile, by which the stores find it
MOST_PROFILE_TOKENS = 150
_DIGEST_DIGITS = 12
_ENDS = (".", "!", "?", "。", "！", "？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """``sources``: fact id -> digest of the content that the fact had."""

    text: str
    sources: Mapping[str, str]


def source_digest(content: str) -> str:
    """Digest of a fact's content, by which a sentence notices that its source was edited."""
    return content_digest(content)[:_DIGEST_DIGITS]


def encode_sentences(sentences: Sequence[Sentence]) -> str:
    """The value of the metadata key ``SENTENCES``."""
    return json.dumps([{"text": each.text, "sources": dict(each.sources)} for each in sentences], ensure_ascii=False)


def decode_sentences(metadata: Mapping[str, str]) -> list[Sentence]:
    """The sentences of a profile.  None of them if the value is damaged: nothing is shown without its sources."""
    try:
        return [
            Sentence(text=str(item["text"]), sources={str(key): str(value) for key, value in item["sources"].items()})
            for item in json.loads(metadata.get(SENTENCES, "[]"))
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        return []


def source_ids(sentences: Sequence[Sentence]) -> list[str]:
    """Ids of the facts that the sentences rest on, without duplicates, in order."""
    return list(dict.fromkeys(name for each in sentences for name in each.sources))


def join_sentences(sentences: Sequence[Sentence]) -> str:
    """One text.

    >>> join_sentences([Sentence(text="Plays chess", sources={}), Sentence(text="Lives in Oslo.", sources={})])
    'Plays chess. Lives in Oslo.'
    """
    return " ".join(each.text if each.text.endswith(_ENDS) else f"{each.text}." for each in sentences)


def within_tokens(sentences: Sequence[Sentence], most: int = MOST_PROFILE_TOKENS) -> list[Sentence]:
    """The first sentences whose text has at most ``most`` tokens together.  A longer one is skipped."""
    kept: list[Sentence] = []
    for sentence in sentences:
        if count_tokens(join_sentences([*kept, sentence])) <= most:
            kept.append(sentence)
    return kept
