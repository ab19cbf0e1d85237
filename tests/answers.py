"""Citations of an answer that is complete."""

from trustgraph_react_mem.rerank.citations import Citations, CitationStripper


def parse_citations(text: str, shown: int) -> tuple[str, Citations]:
    """The visible text and the citations.  ``shown``: number of memories in the prompt."""
    stripper = CitationStripper(shown)
    visible = stripper.feed(text) + stripper.end()
    return visible, stripper.citations
