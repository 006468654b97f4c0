-- Pages that monitors read. `stamp` tells whether a page has changed since; `terms` of a passage are indexed below.
CREATE TABLE topic_pages (
    page_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    source    TEXT NOT NULL,
    url       TEXT NOT NULL,
    platform  TEXT NOT NULL,
    published TEXT,
    stamp     TEXT NOT NULL,
    body      TEXT NOT NULL,
    UNIQUE (source, url)
);
CREATE INDEX topic_pages_by_url ON topic_pages (url);

-- One row a passage; its rowid is page_id * 4096 + its place in the page.
CREATE VIRTUAL TABLE topic_passages USING fts5 (terms, tokenize = 'unicode61 remove_diacritics 0');

CREATE TABLE topic_monitors (
    monitor_id TEXT PRIMARY KEY,
    created_at REAL NOT NULL,
    body       TEXT NOT NULL
);

CREATE TABLE topic_runs (
    run_id     TEXT PRIMARY KEY,
    monitor_id TEXT NOT NULL REFERENCES topic_monitors ON DELETE CASCADE,
    started_at REAL NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed')),
    given      TEXT NOT NULL,
    briefing   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX topic_runs_by_monitor ON topic_runs (monitor_id, started_at);

-- What an unfinished run got from outside, so that a resumed one gets the same.
CREATE TABLE topic_journal (
    run_id TEXT NOT NULL REFERENCES topic_runs ON DELETE CASCADE,
    entry  TEXT NOT NULL,
    body   TEXT NOT NULL,
    PRIMARY KEY (run_id, entry)
);
