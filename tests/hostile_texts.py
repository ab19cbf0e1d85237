"""Texts that are made to be slow to read: repeats of what patterns look for, runs of what they skip, openers without an end."""

import random
from collections.abc import Iterator

UNITS = (
    # secrets and personal data
    "password for ", "password for" + " " * 40, "a@b.cc ", "://a:", "eyJ", "xoxb-1-", "1.1.1.1 ", "password is ", "key: ",
    "1 2 ", "4111 1111 ", "born on ", "passport ", "DE89 3704 0044 ", "ab12" * 10, "::1 ", "12:", "curl -u ", '"password": ',
    "mnemonic a b c ", "0171 ", "A1-", "12345678A ", "via Roma ", "rue de la ", "abandon ", "1. zoo 2. ", "(at) ", "a dot ",
    "password isn't ", "| password |\n|---|\n", "login a / ", "security question ", "Private-Lines: 1\n", "AAAA" * 9 + "\n",
    "otp 12 34 ", "backup codes: a1b2, ", "sid=", "?key=a1", "WIFI:", "is your code 123456 ", "ssn ", "account number ",
    "live at ", "<password>", "setup key: ABCD ", "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----", "LS0tLS1CRUdJTi", "ab_", "a1B2_", "sqlplus a/", "a:5432:", "pw T, ", "7z -p ",
    "define('key', ",
    # characters and runs
    "a", "A", "a ", "1", "1,", "1. ", "x" * 30 + " ", "a" * 400 + ". ", "é", "e\u0301", "\u0301", "ｐａｓｓ", "pаss", "я", "あ",
    "ア", "中", "가", "ก", "ب", "🙂", "\u200b", "\ufeff", "\u2028", "\0", "\x1b[31m", " ", "\n", "\t", " \n", "\r\n", "\n> ",
    "\n- ", "...", "?", "! ", ". ", ",", ", ", "; ", "– ", " - ", "-", "--", "=", "==", "#", "/", "|", "\\", "_", "*", "$", "~",
    "@", "%", "'", '"', "“", "«", "„", "「", "`", "```\n", "(", "{", "[", "<", "((", "{{", "[[", '{"a":', "[1, ", ":", "::",
    # times and amounts
    "may ", "last Monday ", "12/12/2026 ", "2026-01-01 ", "between ", "and ", "to ", "until ", "before ", "next week ", "Q1 ",
    "20s ", "10:00 ", "10 pm ", "5 kg ", "5 %", "€", "half past ", "one ", "two hundred ", "hundert", "und", "三", "百", "年",
    # sentences, instructions, questions
    "Ana ", "my x is 5, ", "I live in Hamburg. ", "I moved from Berlin to ", "is ", "was ", "no longer ", "actually ", "not ",
    "from now on ", "always ", "never ", "please ", "when you ", "if ", "answer in ", "call me ", "forget ", "instead ",
    "ok, ", "hi ", "thanks. ", "i'm sorry ", "you said ", "who is ", "where ", "it ", "l'", "don't ", "не ", "hat ge", "the ",
    # the format of the agent
    "<think>", "</think>", "<memories>", "Thought: ", "Action: ", "Args: ", "Final Answer: ", "Observation: ", "Question: ",
    "<tool_call>", "<function=a>", "tool(a=", "a=", "aé", '"action": "a", ', "[0] ", "[0", "[0, ", "(0", "[NO_CITE", "nocite ,",
    "[Memory ", "Merge(1, ", "User: ", "source: ", "[1,2]", "Action Input: ",
)  # fmt: skip
HEADS = ("{", "[0", "(", '"', "```", "<think>", "Action: search\nArgs: {", "Final Answer: ", "I live in ", "From now on ", "1 ")


RUNS = (" ", "\n", "a", "1", "é", "あ", "\u200b", "(", "{", "[", '"', "-", ".", ", ")  # what most patterns repeat


def hostile_texts(size: int, *, most: int, seed: str) -> Iterator[tuple[str, str]]:
    """A name and a text of ``size`` characters: the runs, and a draw of ``most`` units, also after a beginning or another."""
    chosen = random.Random(seed)
    for unit in RUNS:
        yield unit, _repeated(unit, size)
    for unit in chosen.sample(UNITS, most // 2):
        yield unit, _repeated(unit, size)
    for _ in range(most // 4):
        head, unit = chosen.choice(HEADS), chosen.choice((*RUNS, *UNITS))
        yield f"{head}+{unit}", (head + _repeated(unit, size))[:size]
    for _ in range(most - most // 2 - most // 4):
        one, two = chosen.sample(UNITS, 2)
        yield f"{one}+{two}", _repeated(one, size // 2) + _repeated(two, size - size // 2)


def _repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]
