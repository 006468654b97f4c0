"""Language models behind one protocol, and what stands in for them."""

from vidence.llm.factory import create_llm_engine
from vidence.llm.protocol import Capabilities, Engine, Reply

__all__ = ["Capabilities", "Engine", "Reply", "create_llm_engine"]
