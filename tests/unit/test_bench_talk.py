"""`python -m bench talk`: lives that are generated."""

from bench.talk.lives import UNKNOWN, lives, make_life

LIVES = lives(30)


def test_a_life_has_sessions_changes_and_many_questions() -> None:
    assert make_life(3) == LIVES[3]
    assert len({life.language for life in LIVES}) >= 4
    for life in LIVES:
        assert len(life.questions) >= 10
        assert len({message.conversation for message in life.messages}) >= 5
        assert [message.at for message in life.messages] == sorted(message.at for message in life.messages)
        assert sum(message.ends for message in life.messages) == len({message.conversation for message in life.messages})
    categories = {said.question.category for life in LIVES for said in life.questions if said.question}
    assert categories >= {"thread", "recall", "changed", "before", "time", "instruction", "two people", "number", UNKNOWN}
