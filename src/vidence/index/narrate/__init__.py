"""Putting into words what the index saw, read and heard: evidence → facts → sentences."""
