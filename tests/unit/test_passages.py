"""The passage of a long record that answers a question."""

from trustgraph_react_mem.indexing.excerpts import best_passage
from trustgraph_react_mem.memory.tokens import count_tokens

FILLING = " ".join(f"Section {number} describes the drainage of the meadow." for number in range(200))


def test_a_passage_holds_what_follows_the_sentence_that_names_what_is_asked() -> None:
    page = f"{FILLING} The place of the drum has changed. It is in Mr Abe's barn now. {FILLING}"
    passage = best_passage(page, "Where is the drum?", 100)
    assert "drum has changed. It is in Mr Abe's barn" in passage
    assert count_tokens(passage) <= 110


def test_a_page_whose_title_names_the_subject_is_shown_with_the_line_that_answers() -> None:
    page = f"Manual of the coffee machine: {FILLING} To descale it hold both buttons. {FILLING}"
    passage = best_passage(page, "How do I descale the coffee machine?", 100)
    assert passage.index("Manual of the coffee machine") < passage.index("hold both buttons")
    assert count_tokens(passage) <= 110
