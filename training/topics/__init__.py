"""Training of the critic's small models: support, entailment and sentiment."""
