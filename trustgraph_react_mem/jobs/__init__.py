"""Runtime of background jobs: worker, executor, retries, delayed jobs, barriers.  Imports no handler."""
