-- Records for the log that were written in the transaction of the rows that they must agree with
-- (docs/decisions/0016). A relay appends them in the order of ids and deletes them afterwards.
CREATE TABLE outbox (
  id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic       VARCHAR(249) NOT NULL,
  -- bytes and JSON, not TEXT and JSONB: what another producer wrote may hold a 0x00
  key         BYTEA NOT NULL,
  value       BYTEA NOT NULL,
  headers     JSON NOT NULL,
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW()
);

-- The one process that relays; another takes over once the time is past.
CREATE TABLE outbox_lease (
  name        VARCHAR(16) PRIMARY KEY,
  holder      VARCHAR(64) NOT NULL,
  expires_at  TIMESTAMPTZ NOT NULL
);
