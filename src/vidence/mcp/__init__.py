"""A Model Context Protocol server: few tools, short replies, evidence with every answer."""
