"""The patterns of one language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The patterns of one language, as alternatives of a regular expression.

    - ``lead``: words before an instruction.  ``ask``: polite questions ("can you").  ``want``: "I want you to".
    - ``verb``: imperatives that an assistant can follow.  ``tail``: infinitives at the end of a clause ("bitte nie anrufen").
    - ``early``: "always", "never".  ``phrase``: "from now on".  ``every``: "begin every answer".
    - ``whenever``: begins a condition that always holds.  ``when``: begins a condition.
    - ``talk``: conditions about what is asked or answered.
    - ``never``: begins a prohibition.  ``again``: "any more".  ``stop``: "stop using".  ``permit``: "you can ... again".
    - ``form``: wishes about the form of all answers, complete without "always".  ``name``: "call me", followed by a name.
    - ``answer``: verbs of answering, for "answer in German".  ``once``: marks a single request.
    - ``report``: words of another person.  ``intro``: what may stand before a colon.
    """

    lead: str
    ask: str
    want: str
    verb: str
    tail: str = r"(?!)"
    early: str
    phrase: str
    every: str
    whenever: str
    when: str
    talk: str
    never: str
    again: str
    stop: str
    permit: str = r"(?!)"
    form: str
    name: str
    answer: str
    once: str
    report: str
    intro: str
