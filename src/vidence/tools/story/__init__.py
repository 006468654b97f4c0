"""The five tools of a story: who somebody is, how two are connected, how that changes, events, search."""
