CREATE TABLE jobs (
    job_id     TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    thread     TEXT NOT NULL,
    given      TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    progress   REAL NOT NULL,
    note       TEXT NOT NULL,
    result     TEXT NOT NULL,
    error      TEXT,
    attempts   INTEGER NOT NULL,
    created_at REAL NOT NULL,
    started_at REAL,
    ended_at   REAL
);
CREATE INDEX jobs_by_time ON jobs (created_at);
CREATE INDEX jobs_by_subject ON jobs (subject, created_at);
CREATE INDEX jobs_by_thread ON jobs (thread, created_at);
CREATE INDEX jobs_by_state ON jobs (state, created_at);

CREATE TABLE job_events (
    job_id TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
    number INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    data   TEXT NOT NULL,
    at     REAL NOT NULL,
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID;
