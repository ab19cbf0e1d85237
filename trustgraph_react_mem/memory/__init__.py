"""The rules of memory: what a record is, whose it is, what may be done with it.  No engine, no bus."""
