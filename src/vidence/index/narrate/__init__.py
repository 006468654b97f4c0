"""Describing a span in words: evidence from the index → facts → sentences."""
