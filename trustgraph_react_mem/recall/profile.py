"""Chooses the sentences of the profile that the prompt shows."""

from collections.abc import Sequence
from dataclasses import replace

from ..indexing.changes.decision import changes
from ..memory.profile import SENTENCES, Sentence, decode_sentences, encode_sentences, join_sentences, within_tokens
from ..schema import Fact, InvocationSummary


def current_profile(profile: Fact | None, facts: Sequence[Fact], exchanges: Sequence[InvocationSummary]) -> Fact | None:
    """The profile without sentences that a newer statement changes, if the prompt shows that statement."""
    if profile is None:
        return None
    newer = [fact.content for fact in facts if fact.trust == "user" and fact.timestamp > profile.timestamp]
    newer += [exchange.query for exchange in exchanges if exchange.timestamp > profile.timestamp]
    sentences = decode_sentences(profile.metadata)
    return _with_sentences(profile, [each for each in sentences if not any(changes(text, each.text) for text in newer)])


def shorten_profile(profile: Fact, tokens: int) -> Fact | None:
    """The profile with the first sentences that fit.  None: none fits."""
    return _with_sentences(profile, within_tokens(decode_sentences(profile.metadata), tokens))


def _with_sentences(profile: Fact, kept: Sequence[Sentence]) -> Fact | None:
    if not kept:
        return None
    return replace(profile, content=join_sentences(kept), metadata={**profile.metadata, SENTENCES: encode_sentences(kept)})
