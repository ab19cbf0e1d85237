"""The statistical language guess of py3langid, restricted to the languages whose texts a scope can hold.

The model is loaded on the first use or by ``load_in_background``: about half a second and 55 MB of memory.  A guess takes about
0.1 ms; guesses are cached.
"""

import math
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

CANDIDATES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "hu", "ro", "tr", "pl", "cs", "vi", "id", "ca")
MAX_CHARS = 300  # enough for a certain guess; keeps the cost and the cache bounded
_CACHED = 4096
_TINY = 1e-9
_lock = threading.Lock()
_loaded: Any = None
_loading = False


@lru_cache(maxsize=_CACHED)
def language_scores(text: str) -> Mapping[str, float]:
    """The logarithm of the probability of each candidate.  ``text``: at most MAX_CHARS characters of it are read."""
    return {code: math.log(p + _TINY) for code, p in _model().rank(text[:MAX_CHARS])}


def load_in_background() -> None:
    """Load the model in another thread, so that the first question does not wait for it."""
    global _loading
    if not _loading:
        _loading = True
        threading.Thread(target=_model, name="language-model", daemon=True).start()


def _model() -> Any:
    global _loaded
    with _lock:
        if _loaded is None:
            from py3langid.langid import MODEL_FILE, LanguageIdentifier

            model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
            model.set_languages(CANDIDATES)
            model.nb_ptc = model.nb_ptc.copy()
            model._full_model = (model.nb_ptc, model.nb_pc, model.nb_classes)  # frees the table of the other languages
            _loaded = model
        return _loaded
