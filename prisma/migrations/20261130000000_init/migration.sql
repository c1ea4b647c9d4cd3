-- Lineprint's tables. The seed's three keep their names and columns; the rest is what the design needs.
-- org_id is the tenant everywhere. Signatures and prints are bytes: little-endian words.

CREATE TABLE tenants (
  org_id      VARCHAR(64) PRIMARY KEY,
  name        TEXT NOT NULL,
  time_zone   TEXT NOT NULL DEFAULT 'UTC',
  -- whose clock decides a commit's day
  day_by      VARCHAR(10) NOT NULL DEFAULT 'author' CHECK (day_by IN ('author', 'committer')),
  -- raw code is stored only where the organisation opted in
  raw_code    BOOLEAN NOT NULL DEFAULT FALSE,
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW()
);

-- Keys of the line prints. During a rotation two are valid.
CREATE TABLE line_keys (
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  key_id      VARCHAR(64) NOT NULL,
  secret      BYTEA NOT NULL,
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  retired_at  TIMESTAMPTZ,
  PRIMARY KEY (org_id, key_id)
);

CREATE TABLE api_keys (
  prefix      VARCHAR(32) PRIMARY KEY,
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  -- SHA-256 of the whole key
  hash        BYTEA NOT NULL,
  scopes      TEXT[] NOT NULL,
  -- a personal key answers for one person only
  user_id     VARCHAR(255),
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  expires_at  TIMESTAMPTZ,
  revoked_at  TIMESTAMPTZ
);

-- A project belongs to the tenant that named it first.
CREATE TABLE projects (
  project_id  VARCHAR(255) PRIMARY KEY,
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW()
);

CREATE TABLE policies (
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  policy_id   VARCHAR(64) NOT NULL,
  body        JSONB NOT NULL,
  active      BOOLEAN NOT NULL DEFAULT FALSE,
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, policy_id)
);
CREATE UNIQUE INDEX policies_one_active ON policies (org_id) WHERE active;

CREATE TABLE ai_code_fingerprints (
  id                  BIGINT GENERATED ALWAYS AS IDENTITY,
  code_id             VARCHAR(64) NOT NULL,
  session_id          VARCHAR(64) NOT NULL,
  user_id             VARCHAR(255) NOT NULL,
  project_id          VARCHAR(255) NOT NULL,
  org_id              VARCHAR(64) NOT NULL,
  source              VARCHAR(10) NOT NULL CHECK (source IN ('tab', 'chat', 'agent')),
  signature           BYTEA NOT NULL,
  lsh_buckets         BYTEA NOT NULL,
  language            VARCHAR(32) NOT NULL,
  file_extension      VARCHAR(16) NOT NULL,
  line_count          INT NOT NULL DEFAULT 0,
  char_count          INT NOT NULL DEFAULT 0,
  structure_hash      VARCHAR(16) NOT NULL,
  raw_code_encrypted  TEXT,
  protocol            SMALLINT NOT NULL DEFAULT 1,
  repository          VARCHAR(255),
  model               VARCHAR(128),
  client              VARCHAR(100),
  edit_kind           VARCHAR(10),
  accepted_partially  BOOLEAN,
  declared_by         VARCHAR(64),
  -- MinHash of the syntax tree, where the code itself was sent
  ast_signature       BYTEA,
  -- position in lineprint.snippets.v1
  log_partition       INT NOT NULL,
  log_offset          BIGINT NOT NULL,
  -- when the code was accepted, by the client's clock
  created_at          TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (org_id, code_id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX ai_code_fingerprints_user_id ON ai_code_fingerprints (org_id, user_id);
CREATE INDEX ai_code_fingerprints_project_id ON ai_code_fingerprints (project_id);
CREATE INDEX ai_code_fingerprints_session_id ON ai_code_fingerprints (org_id, session_id);
CREATE INDEX ai_code_fingerprints_created_at ON ai_code_fingerprints (created_at);
CREATE INDEX ai_code_fingerprints_structure_hash ON ai_code_fingerprints (structure_hash);
-- the recall index is rebuilt in the order of the log
CREATE INDEX ai_code_fingerprints_position ON ai_code_fingerprints (log_partition, log_offset);

-- code_id is unique in an organisation whatever time a client claims, which a partitioned table cannot say itself.
CREATE TABLE ai_code_fingerprint_ids (
  org_id      VARCHAR(64) NOT NULL,
  code_id     VARCHAR(64) NOT NULL,
  created_at  TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (org_id, code_id)
);
CREATE INDEX ai_code_fingerprint_ids_created_at ON ai_code_fingerprint_ids (created_at);

CREATE TABLE snippet_prints (
  org_id       VARCHAR(64) NOT NULL,
  code_id      VARCHAR(64) NOT NULL,
  key_id       VARCHAR(64) NOT NULL,
  line_prints  BYTEA NOT NULL,
  path_key     VARCHAR(16),
  before_h1    VARCHAR(16),
  after_h1     VARCHAR(16),
  created_at   TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (org_id, code_id, created_at)
) PARTITION BY RANGE (created_at);

CREATE TABLE commits (
  org_id           VARCHAR(64) NOT NULL,
  repository       VARCHAR(255) NOT NULL,
  sha              VARCHAR(64) NOT NULL,
  project_id       VARCHAR(255) NOT NULL,
  user_id          VARCHAR(512) NOT NULL,
  author_name      TEXT NOT NULL,
  author_email     TEXT NOT NULL,
  parents          TEXT[] NOT NULL,
  authored_at      TIMESTAMPTZ NOT NULL,
  committed_at     TIMESTAMPTZ NOT NULL,
  branch           TEXT,
  declared_tool    VARCHAR(64),
  declared_by      VARCHAR(10),
  late             BOOLEAN NOT NULL DEFAULT FALSE,
  analyzed_at      TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, repository, sha)
);
CREATE INDEX commits_project_time ON commits (org_id, project_id, authored_at);
CREATE INDEX commits_user_time ON commits (org_id, user_id, authored_at);

-- Which commits a policy has judged: also those without files. The first verdict stands.
CREATE TABLE commit_verdicts (
  org_id      VARCHAR(64) NOT NULL,
  policy_id   VARCHAR(64) NOT NULL,
  repository  VARCHAR(255) NOT NULL,
  commit_sha  VARCHAR(64) NOT NULL,
  PRIMARY KEY (org_id, policy_id, repository, commit_sha)
);

-- One row a changed file, by policy. `lines` is [{start, count, kind, result}] with line numbers from 0.
CREATE TABLE commit_files (
  org_id         VARCHAR(64) NOT NULL,
  policy_id      VARCHAR(64) NOT NULL,
  repository     VARCHAR(255) NOT NULL,
  commit_sha     VARCHAR(64) NOT NULL,
  file_path      TEXT NOT NULL,
  old_path       TEXT,
  status         VARCHAR(10) NOT NULL,
  language       VARCHAR(32) NOT NULL,
  added_lines    INT NOT NULL,
  deleted_lines  INT NOT NULL,
  blank_lines    INT NOT NULL,
  excluded       VARCHAR(64),
  lines          JSONB NOT NULL,
  PRIMARY KEY (org_id, policy_id, repository, commit_sha, file_path)
);

-- One row for the lines of a file that share an origin; human lines have a row without a snippet.
CREATE TABLE ai_attribution_results (
  id                  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  commit_sha          VARCHAR(64) NOT NULL,
  file_path           TEXT NOT NULL,
  user_id             VARCHAR(512) NOT NULL,
  project_id          VARCHAR(255) NOT NULL,
  org_id              VARCHAR(64) NOT NULL,
  repository          VARCHAR(255) NOT NULL,
  policy_id           VARCHAR(64) NOT NULL,
  -- position among the file's results
  ordinal             INT NOT NULL,
  language            VARCHAR(32) NOT NULL,
  matched_code_id     VARCHAR(64),
  match_source        VARCHAR(10) CHECK (match_source IN ('tab', 'chat', 'agent')),
  model               VARCHAR(128),
  evidence            VARCHAR(10) NOT NULL CHECK (evidence IN ('matched', 'declared', 'estimated', 'none')),
  minhash_similarity  DECIMAL(4,3),
  evidence_bits       REAL NOT NULL DEFAULT 0,
  confidence          VARCHAR(10) NOT NULL CHECK (confidence IN ('HIGH', 'LOW', 'SUSPECT', 'UNIQUE')),
  total_lines         INT NOT NULL,
  ai_preserved_lines  INT NOT NULL,
  ai_modified_lines   INT NOT NULL,
  human_new_lines     INT NOT NULL,
  -- of human_new_lines: flagged for review, a match too weak to count
  suspect_lines       INT NOT NULL DEFAULT 0,
  ai_ratio            DECIMAL(4,3) NOT NULL,
  -- the commit's day in the organisation's time zone
  day                 DATE NOT NULL,
  commit_timestamp    TIMESTAMPTZ NOT NULL,
  analyzed_at         TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  UNIQUE (org_id, policy_id, repository, commit_sha, file_path, ordinal),
  CHECK (total_lines = ai_preserved_lines + ai_modified_lines + human_new_lines)
);
CREATE INDEX ai_attribution_results_user ON ai_attribution_results (org_id, policy_id, user_id, day);
CREATE INDEX ai_attribution_results_project ON ai_attribution_results (org_id, policy_id, project_id, day);
CREATE INDEX ai_attribution_results_day ON ai_attribution_results (org_id, policy_id, day);
CREATE INDEX ai_attribution_results_commit ON ai_attribution_results (commit_sha);

CREATE TABLE ai_attribution_daily (
  id                     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  date                   DATE NOT NULL,
  user_id                VARCHAR(512) NOT NULL,
  project_id             VARCHAR(255) NOT NULL,
  org_id                 VARCHAR(64) NOT NULL,
  policy_id              VARCHAR(64) NOT NULL,
  total_commits          INT NOT NULL DEFAULT 0,
  total_files_changed    INT NOT NULL DEFAULT 0,
  files_with_ai          INT NOT NULL DEFAULT 0,
  total_lines            INT NOT NULL DEFAULT 0,
  ai_preserved_lines     INT NOT NULL DEFAULT 0,
  ai_modified_lines      INT NOT NULL DEFAULT 0,
  human_new_lines        INT NOT NULL DEFAULT 0,
  -- preserved + 0.5 modified
  ai_attributed_lines    DECIMAL(14,1) NOT NULL DEFAULT 0,
  ai_ratio               DECIMAL(4,3) NOT NULL DEFAULT 0,
  tab_ai_lines           DECIMAL(14,1) NOT NULL DEFAULT 0,
  chat_ai_lines          DECIMAL(14,1) NOT NULL DEFAULT 0,
  agent_ai_lines         DECIMAL(14,1) NOT NULL DEFAULT 0,
  high_confidence_lines  INT NOT NULL DEFAULT 0,
  low_confidence_lines   INT NOT NULL DEFAULT 0,
  suspect_lines          INT NOT NULL DEFAULT 0,
  declared_ai_lines      DECIMAL(14,1) NOT NULL DEFAULT 0,
  matched_ai_lines       DECIMAL(14,1) NOT NULL DEFAULT 0,
  estimated_ai_lines     DECIMAL(14,1) NOT NULL DEFAULT 0,
  tab_suggestions_shown     INT NOT NULL DEFAULT 0,
  tab_suggestions_accepted  INT NOT NULL DEFAULT 0,
  tab_accept_rate        DECIMAL(4,3) NOT NULL DEFAULT 0,
  chat_edit_count        INT NOT NULL DEFAULT 0,
  agent_task_count       INT NOT NULL DEFAULT 0,
  UNIQUE (org_id, policy_id, date, user_id, project_id)
);
CREATE INDEX ai_attribution_daily_user ON ai_attribution_daily (org_id, user_id, date);
CREATE INDEX ai_attribution_daily_project ON ai_attribution_daily (org_id, project_id, date);

-- The newest totals of each assistant session.
CREATE TABLE activity_sessions (
  org_id                    VARCHAR(64) NOT NULL,
  session_id                VARCHAR(64) NOT NULL,
  user_id                   VARCHAR(255) NOT NULL,
  project_id                VARCHAR(255) NOT NULL,
  -- the session's day in the organisation's time zone
  day                       DATE NOT NULL,
  reported_at               TIMESTAMPTZ NOT NULL,
  tab_suggestions_shown     INT NOT NULL,
  tab_suggestions_accepted  INT NOT NULL,
  tab_chars_accepted        INT NOT NULL,
  chat_edits                INT NOT NULL,
  chat_additions            INT NOT NULL,
  chat_deletions            INT NOT NULL,
  agent_tasks               INT NOT NULL,
  agent_additions           INT NOT NULL,
  agent_deletions           INT NOT NULL,
  PRIMARY KEY (org_id, session_id)
);
CREATE INDEX activity_sessions_day ON activity_sessions (org_id, day, user_id, project_id);

-- How far a consumer's effects reach, written in the transaction of the effects themselves.
CREATE TABLE consumer_progress (
  consumer_group  VARCHAR(128) NOT NULL,
  topic           VARCHAR(128) NOT NULL,
  partition       INT NOT NULL,
  next_offset     BIGINT NOT NULL,
  updated_at      TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (consumer_group, topic, partition)
);

-- The embedded log.
CREATE TABLE event_log_topics (
  topic         VARCHAR(128) PRIMARY KEY,
  partitions    INT NOT NULL,
  retention_ms  BIGINT NOT NULL
);
CREATE TABLE event_log_records (
  topic        VARCHAR(128) NOT NULL,
  partition    INT NOT NULL,
  "offset"     BIGINT NOT NULL,
  key          TEXT NOT NULL,
  value        BYTEA NOT NULL,
  headers      JSONB NOT NULL,
  recorded_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (topic, partition, "offset")
);
-- Values are compressed before they come here.
ALTER TABLE event_log_records ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE TABLE event_log_ends (
  topic        VARCHAR(128) NOT NULL,
  partition    INT NOT NULL,
  end_offset   BIGINT NOT NULL,
  PRIMARY KEY (topic, partition)
);
CREATE TABLE event_log_commits (
  consumer_group  VARCHAR(128) NOT NULL,
  topic           VARCHAR(128) NOT NULL,
  partition       INT NOT NULL,
  next_offset     BIGINT NOT NULL,
  PRIMARY KEY (consumer_group, topic, partition)
);

-- Claim check for values over the broker's limit.
CREATE TABLE large_payloads (
  payload_id  VARCHAR(64) PRIMARY KEY,
  value       BYTEA NOT NULL,
  created_at  TIMESTAMPTZ NOT NULL DEFAULT NOW()
);
CREATE INDEX large_payloads_created_at ON large_payloads (created_at);
