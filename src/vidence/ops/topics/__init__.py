"""The monitor's tools, one file each."""
