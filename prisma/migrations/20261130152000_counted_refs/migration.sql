-- Which commits count: those that a counted ref reaches (docs/decisions/0031). A repository whose refs nobody has told
-- counts whole, as before.

-- Repositories of which some ref has been told.
CREATE TABLE counted_repositories (
  org_id       VARCHAR(64) NOT NULL,
  repository   VARCHAR(255) NOT NULL,
  -- false until the commit is known that the default branch names: until then everything counts
  decided      BOOLEAN NOT NULL DEFAULT FALSE,
  default_ref  TEXT,
  -- the default branch to be, until the commit is known that it names
  next_default TEXT,
  -- the time (committer's clock) of the newest reached commit with a parent that is not known; what is not newer than
  -- that may be behind it, and counts
  horizon      TIMESTAMPTZ,
  -- a commit has arrived that a ref, or a commit that counts, was waiting for
  unsettled    BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (org_id, repository)
);
CREATE INDEX counted_repositories_unsettled ON counted_repositories (org_id, repository) WHERE unsettled;

-- Their refs that count.
CREATE TABLE repository_refs (
  org_id     VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  ref        TEXT NOT NULL,
  -- the newest commit that it has named and that is known
  sha        VARCHAR(64),
  -- what it has named since then, oldest first: [{sha, before, moves}]
  pending    JSONB NOT NULL DEFAULT '[]',
  -- beside the default branch
  counts     BOOLEAN NOT NULL,
  PRIMARY KEY (org_id, repository, ref)
);

-- Parents that are not known, of commits that are: a shallow clone's, or one that could not be read.
CREATE TABLE commit_gaps (
  org_id     VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  missing    VARCHAR(64) NOT NULL,
  child      VARCHAR(64) NOT NULL,
  PRIMARY KEY (org_id, repository, missing, child)
);
INSERT INTO commit_gaps (org_id, repository, missing, child)
SELECT DISTINCT c.org_id, c.repository, parent, c.sha
FROM commits c CROSS JOIN UNNEST(c.parents) AS parent
WHERE NOT EXISTS (
  SELECT 1 FROM commits known
  WHERE known.org_id = c.org_id AND known.repository = c.repository AND known.sha = parent
);

-- Whether a ref that counts leads to it, …
ALTER TABLE commits ADD COLUMN reached BOOLEAN NOT NULL DEFAULT FALSE;
-- … and whether it counts: also where no ref decides, or not that far back.
ALTER TABLE commits ADD COLUMN counted BOOLEAN NOT NULL DEFAULT TRUE;

-- As the commit of the row, so that sums need not look at commits.
ALTER TABLE ai_attribution_results ADD COLUMN counted BOOLEAN NOT NULL DEFAULT TRUE;
-- The commit that added the row's lines first, where they count in this one because that one does not; the ordinal is
-- that of its row then. Empty on a commit's own rows.
ALTER TABLE ai_attribution_results ADD COLUMN copied_from VARCHAR(64) NOT NULL DEFAULT '';
ALTER TABLE ai_attribution_results
  DROP CONSTRAINT ai_attribution_results_org_id_policy_id_repository_commit_s_key;
CREATE UNIQUE INDEX ai_attribution_results_row ON ai_attribution_results
  (org_id, policy_id, repository, commit_sha, file_path, ordinal, copied_from);
CREATE INDEX ai_attribution_results_copied ON ai_attribution_results (org_id, policy_id, repository, copied_from)
  WHERE copied_from <> '';

-- Which commits copy lines of which.
CREATE TABLE commit_copies (
  org_id      VARCHAR(64) NOT NULL,
  policy_id   VARCHAR(64) NOT NULL,
  repository  VARCHAR(255) NOT NULL,
  from_commit VARCHAR(64) NOT NULL,
  commit_sha  VARCHAR(64) NOT NULL,
  -- those of the copy's rows
  day              DATE NOT NULL,
  commit_timestamp TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (org_id, policy_id, repository, from_commit, commit_sha)
);
CREATE INDEX commit_copies_commit ON commit_copies (org_id, policy_id, repository, commit_sha);
INSERT INTO commit_copies (org_id, policy_id, repository, from_commit, commit_sha, day, commit_timestamp)
SELECT DISTINCT f.org_id, f.policy_id, f.repository, range ->> 'fromCommit', f.commit_sha,
       (made.at AT TIME ZONE t.time_zone)::date, made.at
FROM commit_files f
JOIN commits c ON c.org_id = f.org_id AND c.repository = f.repository AND c.sha = f.commit_sha
JOIN tenants t ON t.org_id = f.org_id
CROSS JOIN LATERAL (
  SELECT CASE WHEN t.day_by = 'committer' THEN c.committed_at ELSE c.authored_at END AS at
) made
CROSS JOIN jsonb_array_elements(f.inherited) AS range
WHERE range ->> 'how' = 'copied';

-- The numbers of added_lines in their files, uint32 little-endian words. Empty for commits that were judged before:
-- lines that are copied from those do not count in a copy.
ALTER TABLE judged_commits ADD COLUMN added_numbers BYTEA NOT NULL DEFAULT '';
ALTER TABLE judged_commits ALTER COLUMN added_numbers SET STORAGE EXTERNAL;
