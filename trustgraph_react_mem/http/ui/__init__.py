"""The web page: its files, and the sessions that a browser has in place of a key.

``sessions``: what a cookie stands for.  ``routes``: signing in, and the files of ``trustgraph_react_mem/ui/static``.
``address``: where ``react-mem ui`` finds the listener of a data directory.
"""
