"""Personal data and secrets: what is found, and what is done with it."""

import threading

import pytest

from trustgraph_react_mem.memory.policies import DataPolicy, Screened

REDACT = DataPolicy(personal_data="redact")
AWS_KEY = "AKIA" + "IOSFODNN7EXAMPLQ"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("write to ann.b+c@example.co.uk today", "write to [email] today"),
        ("call +49 30 901820", "call [telephone]"),
        ("card 4111 1111 1111 1111 please", "card [card] please"),
        ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN [iban]."),
        ("host 192.168.0.12 is down", "host [ip] is down"),
        ("my SSN is 536-90-4399", "my SSN is [social-security]"),
        ("my password is hunter2, ok?", "my password is [secret], ok?"),
        ("heslo k wifi je Modra!Kocka7", "heslo k wifi je [secret]"),
        ("lösenordet är Sommar#99", "lösenordet är [secret]"),
        (f"{AWS_KEY} and its pair wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[secret] and its pair [secret]"),
        ('Passwort: "Geheim Nr"', 'Passwort: "[secret]"'),
        ("hunter2x is my password", "[secret] is my password"),
        ("user bob, pass hunter2x", "user bob, pass [secret]"),
        ("backup codes: 1234-5678, 8765-4321", "backup codes: [secret], [secret]"),
        ("token ghp_" + "a1B2" * 9, "token [secret]"),
        ("SLACK_xoxb-" + "1234567890-" * 2 + "aB3c" * 6, "SLACK_[secret]"),
        ("key AKIAIOSFODNN7EXAMPLE", "key [secret]"),
        ("use sk-proj-abcdefghij0123456789XY", "use [secret]"),
        ("postgres://bob:s3cret@db/x", "postgres://[secret]@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end", "[secret] end"),
    ],
)
def test_what_is_found(text: str, kept: str) -> None:
    assert REDACT.screen(text).text == kept


@pytest.mark.parametrize(
    "text",
    [
        "The password is important to me",
        "Take bus 4821 to the pin factory.",
        "We met on 2024-03-05 at 10:30 in room 1234",
        "It costs $12,000 for 3 people",
        "version 1.2.3.4567",
        "Bitwarden2024 is my password manager",
        "Room2b4 is the password-protected area",
        "card 4111 1111 1111 1112",
        "the 1,234,567 inhabitants of 2020",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert REDACT.screen(text).text == text


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (DataPolicy(), "a@b.org and [secret]"),
        (REDACT, "[email] and [secret]"),
        (DataPolicy(personal_data="drop"), ""),
        (DataPolicy(personal_data="keep-shared"), "a@b.org and [secret]"),
    ],
)
def test_each_policy(policy: DataPolicy, kept: str) -> None:
    screened = policy.screen("a@b.org and AKIAIOSFODNN7EXAMPLE")
    assert (screened.text, screened.dropped) == (kept, not kept)


def test_hashes_are_equal_within_a_scope_and_tell_nothing_across() -> None:
    ann, bob = DataPolicy(personal_data="hash", hash_key=b"of ann"), DataPolicy(personal_data="hash", hash_key=b"of bob")
    first = ann.screen("a@b.org").text
    assert first == ann.screen("A@B.org").text
    assert first != bob.screen("a@b.org").text
    assert "a@b.org" not in first


async def test_a_long_text_is_screened_beside_the_event_loop() -> None:
    on_the_loop: list[bool] = []

    class Watched(DataPolicy):
        def screen(self, text: str) -> Screened:
            on_the_loop.append(threading.current_thread() is threading.main_thread())
            return DataPolicy.screen(self, text)

    policy = Watched(personal_data="redact")
    long = "write to ann@example.org. " * 1000
    assert (await policy.screen_async(long)).text == long.replace("ann@example.org", "[email]")
    assert (await policy.screen_async("write to ann@example.org")).text == "write to [email]"
    assert on_the_loop == [False, True]
