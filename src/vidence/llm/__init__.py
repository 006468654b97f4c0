"""Language models behind one protocol, and what stands in for them."""

from vidence.llm.protocol import Capabilities, Engine, Reply

__all__ = ["Capabilities", "Engine", "Reply"]
