"""One recipe per kind of question: which operations to ask, and how to read what they say."""
