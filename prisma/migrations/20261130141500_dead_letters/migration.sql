-- What became of dead letters, by their position in the dead-letter topic (docs/decisions/0016). One without a row
-- is open.
CREATE TABLE dead_letters (
  topic       VARCHAR(249) NOT NULL,
  partition   INT NOT NULL,
  "offset"    BIGINT NOT NULL,
  state       VARCHAR(16) NOT NULL CHECK (state IN ('redriven', 'dropped')),
  -- organisation and person of the key that asked for it
  org_id      VARCHAR(64) NOT NULL,
  decided_by  VARCHAR(255),
  decided_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (topic, partition, "offset")
);
CREATE INDEX dead_letters_decided_at ON dead_letters (decided_at);
