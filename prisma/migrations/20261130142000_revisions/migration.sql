-- A commit comes again when snippets arrive that it should have known (docs/decisions/0020).

-- What of the snippets' topic each commit has seen, and where its event is.
CREATE TABLE analysed_commits (
  org_id         VARCHAR(64) NOT NULL,
  repository     VARCHAR(255) NOT NULL,
  sha            VARCHAR(64) NOT NULL,
  project_id     VARCHAR(255) NOT NULL,
  committed_at   TIMESTAMPTZ NOT NULL,
  -- the original's position in lineprint.commits.v1
  log_partition  INT NOT NULL,
  log_offset     BIGINT NOT NULL,
  -- how often it has come again
  revision       INT NOT NULL DEFAULT 0,
  -- first offset of lineprint.snippets.v1 that it has not seen, by partition
  horizon        BIGINT[] NOT NULL,
  analysed_at    TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, repository, sha)
);
CREATE INDEX analysed_commits_project_time ON analysed_commits (org_id, project_id, committed_at);
CREATE INDEX analysed_commits_repository_time ON analysed_commits (org_id, repository, committed_at);
-- what follows a commit is judged after it
CREATE INDEX analysed_commits_repository_position ON analysed_commits (org_id, repository, log_offset);
CREATE INDEX analysed_commits_analysed_at ON analysed_commits (analysed_at);

-- Commits that are to come again: one request each, however many snippets ask for it.
CREATE TABLE reanalysis_requests (
  org_id         VARCHAR(64) NOT NULL,
  repository     VARCHAR(255) NOT NULL,
  sha            VARCHAR(64) NOT NULL,
  -- offsets of lineprint.snippets.v1, by partition, below which the next revision has to see; empty where it only has
  -- to come after another commit
  needed         BIGINT[] NOT NULL,
  -- the original's position in lineprint.commits.v1
  log_partition  INT NOT NULL,
  log_offset     BIGINT NOT NULL,
  requested_at   TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  extended_at    TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  -- a process that appends the revision has it until then
  claimed_until  TIMESTAMPTZ,
  -- where the revision is in lineprint.commits.v1, once it is there and until it is analysed
  sent_offset    BIGINT,
  PRIMARY KEY (org_id, repository, sha)
);

ALTER TABLE commits ADD COLUMN revision INT NOT NULL DEFAULT 0;
ALTER TABLE commit_verdicts ADD COLUMN revision INT NOT NULL DEFAULT 0;
ALTER TABLE judged_commits ADD COLUMN revision INT NOT NULL DEFAULT 0;
-- a history in memory is as new as the sum of its repository's revisions
CREATE INDEX judged_commits_revised ON judged_commits (org_id, policy_id, repository, revision) WHERE revision > 0;
