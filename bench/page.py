"""Parts of a page of the documentation that a command writes."""

from pathlib import Path


def write_between(page: Path, begin: str, end: str, text: str) -> None:
    """Replace what is between two lines.  Raises: ValueError (the page does not have them)."""
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no lines {begin} and {end}: add them where the figures belong")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
