"""The monitor: plans, searches, expands, doubts, and writes a briefing."""
