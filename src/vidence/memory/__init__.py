"""What is remembered across questions and sessions, and found again in two languages."""

from vidence.memory.book import MemoryBook, open_book
from vidence.memory.content_analyzer import ContentAnalyzer
from vidence.memory.hybrid_retriever import HybridRetriever
from vidence.memory.long_memory import LongMemory
from vidence.memory.memory_manager import MemoryManager
from vidence.memory.short_memory import ShortMemory

__all__ = [
    "ContentAnalyzer",
    "HybridRetriever",
    "LongMemory",
    "MemoryBook",
    "MemoryManager",
    "ShortMemory",
    "open_book",
]
