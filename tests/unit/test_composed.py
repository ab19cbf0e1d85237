"""Letters of a prompt are composed, and nothing else of its JSON changes."""

import json
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.text.composed import compose_json

TEXTS = st.text(st.sampled_from('aneé\u0301\u0323\u0303\n\t"\\\x01/\u1112\u1161\u11ab\u0338<=한字'), max_size=20)


@given(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS | st.integers() | st.none(), max_size=3), max_size=3))
@example({"a": "line\n\u0303", "b": "\\u0303", "c": "\u0301"})
def test_every_text_is_composed_and_the_json_stays_the_same(value: dict[str, object]) -> None:
    composed = json.loads(compose_json(json.dumps(value, ensure_ascii=False)))
    expected = json.loads(json.dumps(value), object_pairs_hook=lambda pairs: {_nfc(name): _nfc(item) for name, item in pairs})
    assert composed == expected


def _nfc(value: object) -> object:
    if isinstance(value, list):
        return [_nfc(item) for item in value]
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
