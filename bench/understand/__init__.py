"""How well a language model understands conversations, through the product itself: ``python -m bench understand``."""
