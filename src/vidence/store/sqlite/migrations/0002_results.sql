-- Results by the sha256 of their JSON: one body however many cache rows and records point at it.
CREATE TABLE results (
    result_hash TEXT PRIMARY KEY,
    body        TEXT NOT NULL
);

CREATE TABLE result_cache (
    key         TEXT PRIMARY KEY,
    video_id    TEXT REFERENCES videos ON DELETE CASCADE,
    operation   TEXT NOT NULL,
    result_hash TEXT NOT NULL REFERENCES results,
    size_bytes  INTEGER NOT NULL,
    used_at     REAL NOT NULL
);
CREATE INDEX result_cache_by_use ON result_cache (used_at);
CREATE INDEX result_cache_by_video ON result_cache (video_id);
CREATE INDEX result_cache_by_hash ON result_cache (result_hash);

CREATE TABLE op_records (
    position    INTEGER PRIMARY KEY AUTOINCREMENT,
    record_id   TEXT NOT NULL UNIQUE,
    video_id    TEXT REFERENCES videos ON DELETE CASCADE,
    operation   TEXT NOT NULL,
    result_hash TEXT NOT NULL,
    record      TEXT NOT NULL
);
CREATE INDEX op_records_by_video ON op_records (video_id, position);
CREATE INDEX op_records_by_operation ON op_records (operation, position);
CREATE INDEX op_records_by_hash ON op_records (result_hash);

-- The ledger only grows; a record goes only when its whole video does.
CREATE TRIGGER op_records_are_never_changed BEFORE UPDATE ON op_records
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER op_records_are_never_deleted BEFORE DELETE ON op_records
WHEN OLD.video_id IS NULL OR EXISTS (SELECT 1 FROM videos WHERE video_id = OLD.video_id)
BEGIN
    SELECT RAISE(ABORT, 'the ledger is append-only');
END;
