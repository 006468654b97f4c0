"""Topics: pages from folders, feeds, archives and the web, searched together and doubted."""
