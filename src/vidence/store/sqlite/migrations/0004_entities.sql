-- What callers gave a lasting name: ent_001, ent_002, … within a video. A number is never given twice.
CREATE TABLE entities (
    video_id   TEXT NOT NULL REFERENCES videos ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    body       TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (video_id, number)
) WITHOUT ROWID;
