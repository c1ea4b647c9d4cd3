-- Which lines each judged commit adds first, and which it has from another line of history (docs/decisions/0025): a
-- rebased, picked or squashed copy counts once. uint32 little-endian words: the low 4 bytes of H1 xor those of the
-- path's key. Commits that were judged before have none, and nothing is copied from them.
ALTER TABLE judged_commits ADD COLUMN added_lines BYTEA NOT NULL DEFAULT '';
ALTER TABLE judged_commits ADD COLUMN copied_lines BYTEA NOT NULL DEFAULT '';
-- Hashes do not compress.
ALTER TABLE judged_commits ALTER COLUMN added_lines SET STORAGE EXTERNAL;
ALTER TABLE judged_commits ALTER COLUMN copied_lines SET STORAGE EXTERNAL;
