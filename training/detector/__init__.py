"""Measuring the ranges the embedded detector's bytes cover."""
