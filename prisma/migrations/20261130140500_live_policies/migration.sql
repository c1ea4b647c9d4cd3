-- Who judges a policy, and who made, read and dropped it (docs/decisions/0018). `active` says what dashboards read,
-- `live` which policy the line-attributor's own group judges; every other one is judged by its replay.
ALTER TABLE policies
  ADD COLUMN live BOOLEAN NOT NULL DEFAULT FALSE,
  ADD COLUMN description TEXT,
  -- the person or, of an organisation's key, the key's prefix; null for what a start of the software did
  ADD COLUMN created_by VARCHAR(255),
  -- its results are deleted; the row stays, so that the id never means another policy
  ADD COLUMN dropped_at TIMESTAMPTZ;
UPDATE policies SET live = active;
CREATE UNIQUE INDEX policies_one_live ON policies (org_id) WHERE live;

CREATE TABLE policy_activations (
  id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id        VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  from_policy   VARCHAR(64),
  to_policy     VARCHAR(64) NOT NULL,
  activated_by  VARCHAR(255),
  activated_at  TIMESTAMPTZ NOT NULL DEFAULT NOW()
);
CREATE INDEX policy_activations_org ON policy_activations (org_id, id);
