"""The web page and the HTTP API of a workspace."""
