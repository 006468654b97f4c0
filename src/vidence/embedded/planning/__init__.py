"""The embedded engine's planner, navigator and Theory of Mind."""
