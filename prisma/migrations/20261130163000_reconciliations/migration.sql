-- Proofs that days, and all that is summed with them, are what results and sessions say (docs/decisions/0035).
CREATE TABLE reconciliations (
  id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id        VARCHAR(64) NOT NULL,
  -- the organisation's day in whose night it was due; null for one that somebody asked for
  night         DATE,
  requested_by  VARCHAR(255),
  requested_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  -- until when nobody else takes it
  claimed_until TIMESTAMPTZ,
  finished_at   TIMESTAMPTZ,
  -- days of a policy that were looked at
  days          INT,
  -- rows that are not what they should be
  differences   INT,
  -- the first of them: [{policy, table, date, user, project, key, stored, expected}]
  details       JSONB NOT NULL DEFAULT '[]',
  UNIQUE (org_id, night)
);
CREATE INDEX reconciliations_open ON reconciliations (id) WHERE finished_at IS NULL;
