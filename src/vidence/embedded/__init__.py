"""The embedded engine: algorithms that answer the loops' prompts without a language model."""
