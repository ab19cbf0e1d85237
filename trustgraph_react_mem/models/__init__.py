"""Language and embedding models: the catalogue, fetching, serving in process, and endpoints elsewhere."""
