"""The skills of the embedded engine: algorithms that answer the tasks of the loops without a language model."""
