-- How often each line occurs in a repository, as changes in the order of its commits (docs/decisions/0010).
-- Hashes are keyed: `generation` names the line key and the version of the prints, so that no two kinds mix.

-- One row a commit, from position 1; the first delivery of a commit counts.
CREATE TABLE repository_line_changes (
  org_id      VARCHAR(64) NOT NULL,
  repository  VARCHAR(255) NOT NULL,
  generation  VARCHAR(80) NOT NULL,
  position    INT NOT NULL,
  -- the commit's id, or of a part of a baseline its id and the part's number
  change_id   VARCHAR(80) NOT NULL,
  change      BYTEA NOT NULL,
  counted_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, repository, generation, position),
  UNIQUE (org_id, repository, generation, change_id)
);
-- Hashes do not compress.
ALTER TABLE repository_line_changes ALTER COLUMN change SET STORAGE EXTERNAL;

-- All changes up to a position, summed, so that a process that starts need not read them.
CREATE TABLE repository_line_snapshots (
  org_id      VARCHAR(64) NOT NULL,
  repository  VARCHAR(255) NOT NULL,
  generation  VARCHAR(80) NOT NULL,
  position    INT NOT NULL,
  change      BYTEA NOT NULL,
  counted_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, repository, generation, position)
);
ALTER TABLE repository_line_snapshots ALTER COLUMN change SET STORAGE EXTERNAL;

-- An organisation's snippets are counted in the order of the log.
CREATE INDEX ai_code_fingerprints_org_position ON ai_code_fingerprints (org_id, log_partition, log_offset);
