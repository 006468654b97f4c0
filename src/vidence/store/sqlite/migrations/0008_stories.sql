-- Stories: chapters with their text, what was computed from each, and the graph of each story.
CREATE TABLE stories (
    name       TEXT PRIMARY KEY,
    created_at REAL NOT NULL,
    built      TEXT NOT NULL DEFAULT ''  -- the revision that the graph holds; empty when there is none
);

CREATE TABLE story_documents (
    story    TEXT NOT NULL REFERENCES stories ON DELETE CASCADE,
    document TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (story, document)
);

CREATE TABLE story_chapters (
    story         TEXT NOT NULL,
    document      TEXT NOT NULL,
    chapter_index INTEGER NOT NULL,
    sha256        TEXT NOT NULL,
    num_chars     INTEGER NOT NULL,
    head          TEXT NOT NULL,
    body          BLOB NOT NULL,
    PRIMARY KEY (story, document, chapter_index),
    FOREIGN KEY (story, document) REFERENCES story_documents ON DELETE CASCADE
);

-- What was computed from a chapter, by the digest of its text: kept when the chapter moves.
CREATE TABLE story_artifacts (
    story       TEXT NOT NULL REFERENCES stories ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    body        BLOB NOT NULL,
    PRIMARY KEY (story, kind, key)
);

CREATE TABLE graph_nodes (
    story     TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    mentions  INTEGER NOT NULL,
    body      TEXT NOT NULL,
    PRIMARY KEY (story, entity_id)
);
CREATE TABLE graph_names (
    story     TEXT NOT NULL,
    name      TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    PRIMARY KEY (story, name, entity_id)
);
CREATE TABLE graph_edges (
    story       TEXT NOT NULL,
    relation_id TEXT NOT NULL,
    source      TEXT NOT NULL,
    target      TEXT NOT NULL,
    body        TEXT NOT NULL,
    PRIMARY KEY (story, relation_id)
);
CREATE INDEX graph_edges_by_source ON graph_edges (story, source);
CREATE INDEX graph_edges_by_target ON graph_edges (story, target);
CREATE TABLE graph_events (
    story     TEXT NOT NULL,
    position  INTEGER NOT NULL,
    entity_id TEXT NOT NULL,
    body      TEXT NOT NULL,
    PRIMARY KEY (story, position, entity_id)
);
CREATE INDEX graph_events_by_entity ON graph_events (story, entity_id, position);
