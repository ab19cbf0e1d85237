"""The folder with stop words that fastembed's BM25 would download."""

from pathlib import Path

from stop_words import get_stop_words


def stop_word_folder(home: Path) -> str:
    folder = home / "bm25"
    folder.mkdir(exist_ok=True)
    (folder / "english.txt").write_text("\n".join(get_stop_words("english")), encoding="utf-8")
    return str(folder)
