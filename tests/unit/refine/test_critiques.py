"""Whether a critique asks for anything: one reading for the loop and for the signals."""

import pytest

from trustgraph_react_mem.refine.critiques import asks_nothing


@pytest.mark.parametrize(
    "critique",
    [
        "No further improvements.",
        "The answer is right and complete; no changes are necessary.",
        "The first draft had no date, but now no further improvements are needed.",
        "I found no errors.",
        "No issues with the answer.",
        "It needs only minimal revisions.",
        "There is no need to change anything.",
        "There is nothing to improve.",
        "Keine weiteren Verbesserungen nötig.",
        "Aucune autre modification n'est nécessaire.",
        "No se necesitan más cambios.",
        "Nessuna modifica necessaria.",
        "Nenhuma alteração.",
        "Geen verdere wijzigingen nodig.",
    ],
)
def test_a_satisfied_critique_asks_nothing(critique: str) -> None:
    assert asks_nothing(critique)


@pytest.mark.parametrize(
    "critique",
    [
        "There are no issues with the first sentence. The second names the wrong year.",
        "No further improvements to the style, but the date is wrong.",
        "No changes were made to the list, which still lacks the price.",
        "There is no problem with the tone. However, the number is wrong.",
        "Keine Änderungen am Anfang, aber das Jahr ist falsch.",
        "Name the year.",
        "There is no need to mention the hotel: leave it out.",
        "The year is wrong. There are no other errors.",
        "The answer has no source.",
        "",
    ],
)
def test_a_critique_that_finds_a_fault_asks_something(critique: str) -> None:
    assert not asks_nothing(critique)
