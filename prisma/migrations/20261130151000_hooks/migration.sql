-- Repositories that Lineprint fetches itself, told of pushes by their host's webhooks (docs/decisions/0026).
CREATE TABLE connected_repositories (
  hook_id         VARCHAR(32) PRIMARY KEY,
  org_id          VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  -- the name that results carry
  repository      VARCHAR(255) NOT NULL,
  project_id      VARCHAR(255),
  host            VARCHAR(16) NOT NULL
                  CHECK (host IN ('github', 'gitlab', 'gitea', 'bitbucket-cloud', 'bitbucket-dc')),
  clone_url       TEXT NOT NULL,
  -- where secrets are, never what they are: env:NAME or file:PATH
  credential      VARCHAR(255),
  secret          VARCHAR(255) NOT NULL,
  previous_secret VARCHAR(255),
  previous_until  TIMESTAMPTZ,
  -- branches whose commits are analysed, with at most one * each; the default branch alone where there are none
  counted_refs    TEXT[] NOT NULL,
  -- as the host said the last time
  default_branch  VARCHAR(255),
  -- how many commits of the past are analysed when it is first fetched
  history         INT NOT NULL,
  -- the last commit of each counted branch that went to commits.v1, by branch
  seen            JSONB NOT NULL DEFAULT '{}',
  due_at          TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  -- which process fetches it, since when, and until when nobody else may
  claim           VARCHAR(32),
  claimed_at      TIMESTAMPTZ,
  claimed_until   TIMESTAMPTZ,
  -- when it was last fetched without a fault, and the faults since then
  fetched_at      TIMESTAMPTZ,
  failures        INT NOT NULL DEFAULT 0,
  error_code      VARCHAR(64),
  error_message   TEXT,
  created_by      VARCHAR(255),
  created_at      TIMESTAMPTZ NOT NULL DEFAULT NOW()
);
CREATE UNIQUE INDEX connected_repositories_name ON connected_repositories (org_id, repository);
CREATE INDEX connected_repositories_due ON connected_repositories (due_at);

-- Deliveries of the last days. The same bytes under another id are the same delivery: hosts do not sign the id.
CREATE TABLE webhook_deliveries (
  hook_id      VARCHAR(32) NOT NULL REFERENCES connected_repositories (hook_id) ON DELETE CASCADE,
  delivery_id  VARCHAR(255) NOT NULL,
  body_hash    BYTEA NOT NULL,
  received_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (hook_id, delivery_id)
);
CREATE UNIQUE INDEX webhook_deliveries_body ON webhook_deliveries (hook_id, body_hash);
CREATE INDEX webhook_deliveries_received ON webhook_deliveries (hook_id, received_at);
