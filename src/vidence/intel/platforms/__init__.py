"""Platforms: where pages come from, each an adapter behind one Protocol."""
