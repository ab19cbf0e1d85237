"""One module for each kind of job that learns from turns.  ``learning.handler_table`` imports all of them."""
