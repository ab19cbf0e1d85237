"""The forms in which people state their attributes, by language.  ``reading`` uses them."""

from .dutch import DUTCH
from .east_asian import CHINESE, JAPANESE, KOREAN
from .english import ENGLISH
from .french import FRENCH
from .german import GERMAN
from .italian import ITALIAN
from .polish import POLISH
from .portuguese import PORTUGUESE
from .russian import RUSSIAN
from .spanish import SPANISH
from .wording import Wording

WORDINGS: tuple[Wording, ...] = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    ITALIAN,
    PORTUGUESE,
    DUTCH,
    POLISH,
    RUSSIAN,
    JAPANESE,
    CHINESE,
    KOREAN,
)
