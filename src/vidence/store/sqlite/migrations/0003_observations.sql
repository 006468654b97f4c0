-- What the index stages saw and heard. One table for all of them: a new stage needs no migration.
CREATE TABLE observations (
    video_id   TEXT NOT NULL REFERENCES videos ON DELETE CASCADE,
    stage      TEXT NOT NULL,
    position   INTEGER NOT NULL,
    start_time REAL NOT NULL,
    end_time   REAL NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (video_id, stage, position)
) WITHOUT ROWID;
CREATE INDEX observations_by_time ON observations (video_id, stage, start_time);

CREATE TABLE vectors (
    video_id   TEXT NOT NULL REFERENCES videos ON DELETE CASCADE,
    stage      TEXT NOT NULL,
    position   INTEGER NOT NULL,
    start_time REAL NOT NULL,
    end_time   REAL NOT NULL,
    label      TEXT NOT NULL,
    dim        INTEGER NOT NULL,
    body       BLOB NOT NULL,
    PRIMARY KEY (video_id, stage, position)
) WITHOUT ROWID;
