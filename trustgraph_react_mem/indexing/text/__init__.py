"""Reading short texts of several languages: quantities, and what kind of statement a text is."""
