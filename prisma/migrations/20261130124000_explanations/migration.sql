-- why each matched line of a file was given to its snippet, 5 bytes a line (libs/attribution/src/explanation.ts)
ALTER TABLE commit_files ADD COLUMN explanations BYTEA NOT NULL DEFAULT '';
