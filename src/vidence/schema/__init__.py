"""Every shape that crosses a room."""
