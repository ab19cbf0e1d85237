"""One module for each product, run in its environment.  They import nothing of the package, ``with_ours`` aside."""
