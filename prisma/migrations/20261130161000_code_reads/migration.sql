-- Who was shown the text of which file: it is read from git when somebody looks, and is not in this database.
CREATE TABLE code_reads (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id     VARCHAR(64) NOT NULL,
  -- the person, or the public part of an organisation's key
  read_by    VARCHAR(255),
  repository VARCHAR(255) NOT NULL,
  commit_sha VARCHAR(64) NOT NULL,
  path       TEXT NOT NULL,
  read_at    TIMESTAMPTZ NOT NULL DEFAULT NOW()
);
CREATE INDEX code_reads_org ON code_reads (org_id, id);
