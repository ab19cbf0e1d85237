"""HTML from Python values.  Text is escaped unless it was made here, so that no memory becomes markup.

Characters that control the direction of writing, and others without a form, are named or left out as in the terminal.
"""

import html

from ..console import make_printable


class Html(str):
    """Finished markup."""


def text(value: str) -> Html:
    """
    >>> text("<img src=x onerror=alert(1)>")
    '&lt;img src=x onerror=alert(1)&gt;'
    """
    return Html(html.escape(make_printable(value), quote=True))


def element(name: str, *children: str, **attributes: object) -> Html:
    """``children``: escaped, unless they are ``Html``.  An underscore in the name of an attribute is a hyphen.

    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(str(value))}"' for key, value in attributes.items())
    inner = "".join(child if isinstance(child, Html) else text(child) for child in children)
    return Html(f"<{name}{given}>{inner}</{name}>")


def join(*parts: str) -> Html:
    return Html("".join(part if isinstance(part, Html) else text(part) for part in parts))
