-- What is remembered, per scope: a video, or a person's own memory. Ids are never used twice in a scope.
CREATE TABLE memory_scopes (
    scope       TEXT PRIMARY KEY,
    video_id    TEXT REFERENCES videos ON DELETE CASCADE,
    next_number INTEGER NOT NULL DEFAULT 1,
    revision    INTEGER NOT NULL DEFAULT 0,
    latest_at   REAL NOT NULL DEFAULT 0
);

-- `revision` grows with every change in a scope, so that a process reads only what is new to it.
CREATE TABLE memories (
    position   INTEGER PRIMARY KEY AUTOINCREMENT,
    scope      TEXT NOT NULL REFERENCES memory_scopes ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    revision   INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'forgotten')),
    pinned     INTEGER NOT NULL,
    keep_until REAL NOT NULL,
    digest     TEXT NOT NULL,
    body       TEXT NOT NULL,
    terms      BLOB NOT NULL,
    model_id   TEXT,
    vectors    BLOB,
    UNIQUE (scope, number)
);
CREATE INDEX memories_by_revision ON memories (scope, revision);
CREATE INDEX memories_by_digest ON memories (scope, digest);
CREATE INDEX memories_by_keep ON memories (scope, state, pinned, keep_until);

CREATE TABLE memory_states (
    scope      TEXT NOT NULL,
    name       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    body       TEXT NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (scope, name)
);
