-- How often each line occurs in an organisation's snippets up to one position of the log, so that a process that
-- starts need not read them all (docs/decisions/0010). Counts can be moved forward and back from any position.

CREATE TABLE organisation_line_counts (
  org_id        VARCHAR(64) NOT NULL,
  -- line key and version of the prints
  generation    VARCHAR(80) NOT NULL,
  -- rises with each writing, so that of two processes one gives way
  version       INT NOT NULL,
  -- first offset of lineprint.snippets.v1 that is not counted, by partition
  next_offsets  BIGINT[] NOT NULL,
  PRIMARY KEY (org_id, generation)
);

-- Snippets count by the 30 days in which they were accepted.
CREATE TABLE organisation_line_epochs (
  org_id        VARCHAR(64) NOT NULL,
  generation    VARCHAR(80) NOT NULL,
  epoch         INT NOT NULL,
  counts        BYTEA NOT NULL,
  PRIMARY KEY (org_id, generation, epoch)
);
ALTER TABLE organisation_line_epochs ALTER COLUMN counts SET STORAGE EXTERNAL;
