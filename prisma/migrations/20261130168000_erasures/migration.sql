-- Whom an organisation has erased (docs/decisions/0044). Their addresses are kept as keyed hashes alone, so that what
-- the log still says of them is taken as said of a pseudonym.
CREATE TABLE erasure_keys (
  org_id VARCHAR(64) PRIMARY KEY REFERENCES tenants (org_id),
  secret BYTEA NOT NULL
);

CREATE TABLE erasures (
  org_id        VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  pseudonym     VARCHAR(32) NOT NULL,
  requested_by  VARCHAR(255),
  requested_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  -- until when nobody else works at it
  claimed_until TIMESTAMPTZ,
  -- how often rows were rewritten for it
  sweeps        INT NOT NULL DEFAULT 0,
  -- null while rows may still have the person
  finished_at   TIMESTAMPTZ,
  -- since when new events have the person again
  lifted_at     TIMESTAMPTZ,
  PRIMARY KEY (org_id, pseudonym)
);
CREATE INDEX erasures_open ON erasures (requested_at) WHERE finished_at IS NULL;

CREATE TABLE erased_addresses (
  org_id       VARCHAR(64) NOT NULL,
  address_hash BYTEA NOT NULL,
  pseudonym    VARCHAR(32) NOT NULL,
  PRIMARY KEY (org_id, address_hash)
);
