"""The patterns of one language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The patterns of one language, as alternatives of a regular expression.

    - ``lead``: words before an instruction.  ``ask``: polite questions ("can you").  ``want``: "I want you to".
    - ``verb``: imperatives that an assistant can follow.  ``tail``: infinitives at the end of a clause ("bitte nie anrufen").
    - ``early``: "always", "never".  ``phrase``: "from now on".
    - ``whenever``: begins a condition that always holds.  ``when``: begins a condition.
    - ``never``: begins a prohibition.  ``stop``: "stop using".  ``name``: "call me", followed by a name.
    - ``once``: marks a single request.  ``report``: words of another person.  ``intro``: what may stand before a colon.
    """

    lead: str
    ask: str
    want: str
    verb: str
    tail: str = r"(?!)"
    early: str
    phrase: str
    whenever: str
    when: str
    never: str
    stop: str
    name: str
    once: str
    report: str
    intro: str
