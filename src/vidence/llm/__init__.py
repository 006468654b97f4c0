"""The llm room: engines behind one Protocol, with or without a language model."""

from vidence.llm.factory import create_llm_engine
from vidence.llm.protocol import Capabilities, Engine, Reply

__all__ = ["Capabilities", "Engine", "Reply", "create_llm_engine"]
