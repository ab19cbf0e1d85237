"""How people give standing instructions.  The logic that uses these patterns is in ``instructions``.

``WORDINGS``: nine languages that put spaces between words.  Japanese, Chinese and Korean are in ``east_asian``.
Their patterns are matched against one clause in lower case, with straight apostrophes, after leading words such as "please".
"""

from dataclasses import replace

from .dutch import DUTCH
from .english import ENGLISH
from .french import FRENCH
from .german import GERMAN
from .italian import ITALIAN
from .polish import POLISH
from .portuguese import PORTUGUESE
from .russian import RUSSIAN
from .spanish import SPANISH
from .wording import Wording

# The same imperative can belong to several of these languages ("responde"), so what rules it out must count in each of them.
_RELATED = (SPANISH, ITALIAN, PORTUGUESE)
_ONCE, _REPORT = "|".join(each.once for each in _RELATED), "|".join(each.report for each in _RELATED)

WORDINGS: tuple[Wording, ...] = (
    ENGLISH,
    GERMAN,
    FRENCH,
    *(replace(each, once=_ONCE, report=_REPORT) for each in _RELATED),
    DUTCH,
    RUSSIAN,
    POLISH,
)
