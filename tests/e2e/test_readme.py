"""The README's Python example runs as it stands and finds what it stored."""

import re
from pathlib import Path

from .command import ReactMem

README = Path(__file__).parents[2] / "README.md"


def test_the_five_lines_give_a_first_result(own: ReactMem, tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    printed = own.run_program(example, tmp_path)
    assert "allergic to chicken" in printed
