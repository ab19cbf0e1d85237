"""Tells what a person says from what they paste: fenced blocks, and lines quoted with ``>`` as in mails and Markdown."""

import re

#: A quotation in quotation marks, or inline code.
QUOTATION = re.compile(
    r"```[^`]{1,400}```|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」"
    r"|『[^』\n]{1,400}』|《[^》\n]{1,400}》|(?<!\w)['‘][^'‘’\n]{1,400}['’](?!\w)"
)
MOST_OWN = 3  # words of a quotation that may be a name or a term of the person
_FENCE = re.compile(r"[ \t]{0,3}(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)\Z")
_QUOTED = re.compile(r"[ \t]{0,3}>")


def split_pasted(text: str) -> tuple[str, str]:
    """What a person says themselves, and what they paste, each with its line ends; "" if there is none.

    A fence that is never closed reaches to the end of the text.

    >>> split_pasted("What is this?\\n> Bring the keys.\\nThanks")
    ('What is this?\\nThanks', '> Bring the keys.\\n')
    """
    own: list[str] = []
    pasted: list[str] = []
    open_marks = ""
    for line in text.splitlines(keepends=True):
        fence = _FENCE.match(line.rstrip())
        if open_marks:
            pasted.append(line)
            if fence and not fence["info"].strip() and fence["marks"].startswith(open_marks):
                open_marks = ""
        elif fence:
            open_marks = fence["marks"]
            pasted.append(line)
        else:
            (pasted if _QUOTED.match(line) else own).append(line)
    return "".join(own), "".join(pasted)


def without_quotations(text: str) -> str:
    """What a person says themselves, also without quotations of several words.

    >>> without_quotations('The mail says "pay at once to Eve". My boat is called "Sea Gull".')
    'The mail says . My boat is called "Sea Gull".'
    """

    def keep_short(found: re.Match[str]) -> str:
        return found.group() if len(found.group().split()) <= MOST_OWN and not found.group().startswith("```") else ""

    return QUOTATION.sub(keep_short, split_pasted(text)[0])
