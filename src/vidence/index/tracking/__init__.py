"""Tracking objects from frame to frame, and linking tracks of the same object."""
