"""Whether a critique asks for anything.

The prompts of a critique give the model one sentence for that.  It is a signal, whatever the language of the critique.
"""

SATISFIED = "No further improvements."
_MARKS = " \t\r\n.!*_`\"'"


def asks_nothing(critique: str) -> bool:
    """Whether a critique says that nothing is left to improve, and nothing else.

    >>> asks_nothing("No further improvements."), asks_nothing("No further improvements, but name the year.")
    (True, False)
    """
    return critique.strip(_MARKS).casefold() == SATISFIED.strip(_MARKS).casefold()
