"""Answering questions about one entity at one time from what was measured."""
