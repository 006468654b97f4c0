"""The embedded engine's planner, navigator and reader of minds."""
