"""The same tools under the names of other products, for prompts and models that know those."""
