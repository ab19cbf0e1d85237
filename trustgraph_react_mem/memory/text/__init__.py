"""The form of texts: well-formed Unicode, and a text as a reader sees it."""
