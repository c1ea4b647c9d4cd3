-- Which lines of which snippets each judged commit used, and which lines it removed (docs/decisions/0014): what an
-- ancestor has used is gone. One row a commit, from position 1 in the order of the log; the first delivery counts.
CREATE TABLE judged_commits (
  org_id         VARCHAR(64) NOT NULL,
  policy_id      VARCHAR(64) NOT NULL,
  repository     VARCHAR(255) NOT NULL,
  position       INT NOT NULL,
  commit_sha     VARCHAR(64) NOT NULL,
  parents        TEXT[] NOT NULL,
  committed_at   TIMESTAMPTZ NOT NULL,
  -- the low 4 bytes of H1 of each line, little-endian
  removed_lines  BYTEA NOT NULL,
  code_ids       TEXT[] NOT NULL,
  -- three uint32 little-endian words a use: index into code_ids, line of the snippet, H1 of the commit's line
  uses           BYTEA NOT NULL,
  judged_at      TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, policy_id, repository, position),
  UNIQUE (org_id, policy_id, repository, commit_sha)
);
-- Hashes do not compress.
ALTER TABLE judged_commits ALTER COLUMN removed_lines SET STORAGE EXTERNAL;
