"""Graphs of stories: adapters of other databases, paths, ranking and export."""
