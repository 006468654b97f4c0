"""vidence answers questions about videos and proves each claim with evidence it has re-checked."""

__version__ = "0.1.0"
