-- Replays: topics read again under a policy that the live group does not judge (docs/decisions/0019).
CREATE TABLE replays (
  replay_id      VARCHAR(32) PRIMARY KEY,
  org_id         VARCHAR(64) NOT NULL,
  policy_id      VARCHAR(64) NOT NULL,
  topic          VARCHAR(16) NOT NULL CHECK (topic IN ('candidates', 'commits')),
  -- what it works on now: the index from snippets, candidates from commits, or verdicts from candidates
  stage          VARCHAR(16) NOT NULL CHECK (stage IN ('index', 'analyse', 'judge')),
  -- only commits of this repository and from and before these times get results; everything is judged
  repository     VARCHAR(255),
  from_time      TIMESTAMPTZ,
  to_time        TIMESTAMPTZ,
  -- commits a second; null where it may run as fast as it can
  max_rate       REAL,
  status         VARCHAR(16) NOT NULL
                 CHECK (status IN ('running', 'paused', 'following', 'complete', 'cancelled', 'failed')),
  error_code     VARCHAR(64),
  error_message  TEXT,
  created_by     VARCHAR(255),
  created_at     TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  -- when it had passed what there was at its start
  caught_up_at   TIMESTAMPTZ,
  ended_at       TIMESTAMPTZ,
  -- up to when the commits that were let through take, at max_rate
  paced_until    TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  -- how many records its stage had read at two recent moments, from which the rate follows
  sampled_before     BIGINT,
  sampled_before_at  TIMESTAMPTZ,
  sampled            BIGINT,
  sampled_at         TIMESTAMPTZ,
  -- whether its consumer group may exist
  has_group      BOOLEAN NOT NULL DEFAULT FALSE,
  FOREIGN KEY (org_id, policy_id) REFERENCES policies (org_id, policy_id)
);
-- A policy has one judge.
CREATE UNIQUE INDEX replays_one_a_policy ON replays (org_id, policy_id)
  WHERE status IN ('running', 'paused', 'following');
CREATE INDEX replays_org ON replays (org_id, created_at);

CREATE TABLE replay_partitions (
  replay_id      VARCHAR(32) NOT NULL,
  stage          VARCHAR(16) NOT NULL,
  partition      INT NOT NULL,
  start_offset   BIGINT NOT NULL,
  -- the topic's end when the replay was started or resumed; null until somebody looks
  target_offset  BIGINT,
  next_offset    BIGINT NOT NULL,
  -- commits of the organisation, those of them that got results, and records that can have no verdict
  judged         BIGINT NOT NULL DEFAULT 0,
  written        BIGINT NOT NULL DEFAULT 0,
  refused        BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (replay_id, stage, partition)
);
