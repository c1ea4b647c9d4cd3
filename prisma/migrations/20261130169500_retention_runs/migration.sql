-- The nights in which what nothing needs any more was deleted, each by one process (docs/decisions/0046).
CREATE TABLE retention_runs (
  -- the day, in UTC
  night         DATE PRIMARY KEY,
  -- until when nobody else takes it
  claimed_until TIMESTAMPTZ,
  finished_at   TIMESTAMPTZ,
  -- how much of what: {"partitions": 2, "rawCode": 17, ...}
  outcome       JSONB NOT NULL DEFAULT '{}'
);
