CREATE TABLE schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at REAL NOT NULL
);

CREATE TABLE videos (
    video_id   TEXT PRIMARY KEY,
    sha256     TEXT NOT NULL UNIQUE,
    size_bytes INTEGER NOT NULL,
    info       TEXT NOT NULL,
    added_at   REAL NOT NULL
);

-- A path may stand under two videos: the one it held when added, and the one that replaced it.
CREATE TABLE video_locations (
    video_id   TEXT NOT NULL REFERENCES videos ON DELETE CASCADE,
    path       TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    seen_at    REAL NOT NULL,
    PRIMARY KEY (video_id, path)
);
CREATE INDEX video_locations_by_path ON video_locations (path);

CREATE TABLE stages (
    video_id    TEXT NOT NULL REFERENCES videos ON DELETE CASCADE,
    stage       TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
    progress    REAL NOT NULL CHECK (progress BETWEEN 0 AND 1),
    cursor      TEXT NOT NULL,
    error       TEXT,
    started_at  REAL NOT NULL,
    updated_at  REAL NOT NULL,
    pid         INTEGER NOT NULL,
    PRIMARY KEY (video_id, stage)
);

CREATE TABLE segments (
    video_id    TEXT NOT NULL REFERENCES videos ON DELETE CASCADE,
    granularity TEXT NOT NULL CHECK (granularity IN ('fine', 'coarse')),
    position    INTEGER NOT NULL,
    segment_id  TEXT NOT NULL,
    start_time  REAL NOT NULL,
    end_time    REAL NOT NULL,
    type        TEXT NOT NULL,
    transition  TEXT NOT NULL,
    PRIMARY KEY (video_id, granularity, position)
);
