"""The skills of the embedded engine: algorithms that answer the loops without a language model."""
