-- What became of the lines of each branch that counts (docs/decisions/0036, docs/ledger.md).

-- What each commit did to lines, whatever policy judges it: packed by libs/attribution. The first one stands.
CREATE TABLE followed_commits (
  org_id       VARCHAR(64) NOT NULL,
  repository   VARCHAR(255) NOT NULL,
  sha          VARCHAR(64) NOT NULL,
  parents      TEXT[] NOT NULL,
  committed_at TIMESTAMPTZ NOT NULL,
  project_id   VARCHAR(255) NOT NULL,
  arrived      BIGINT GENERATED ALWAYS AS IDENTITY,
  followed     BYTEA NOT NULL,
  PRIMARY KEY (org_id, repository, sha)
);

-- Repositories of which the ledger has something to do: commits or verdicts have arrived, refs have moved. A row for
-- each time, so that nobody who writes one waits for another.
CREATE TABLE ledger_requests (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id     VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL
);

-- Where the lines of each commit behind a counted ref were added.
CREATE TABLE line_trees (
  org_id       VARCHAR(64) NOT NULL,
  repository   VARCHAR(255) NOT NULL,
  sha          VARCHAR(64) NOT NULL,
  first_parent VARCHAR(64),
  -- commits before it along first parents
  depth        INT NOT NULL,
  -- the newest committer's clock along first parents, so that time does not run backwards
  at           TIMESTAMPTZ NOT NULL,
  -- against the first parent's tree, packed by libs/attribution
  change       BYTEA NOT NULL,
  -- the whole, at each 128th
  tree         BYTEA,
  -- parents that were not known
  missing      TEXT[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (org_id, repository, sha)
);
CREATE INDEX line_trees_missing ON line_trees (org_id, repository) WHERE missing <> '{}';

-- How far each ref's ledger is.
CREATE TABLE line_heads (
  org_id     VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  ref        TEXT NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  sha        VARCHAR(64) NOT NULL,
  depth      INT NOT NULL,
  -- that of its tree
  at         TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (org_id, repository, ref)
);

-- The lines at each ref's tip, blank ones included, numbered from 0: which commit added them to which file as which
-- line.
CREATE TABLE head_runs (
  org_id        VARCHAR(64) NOT NULL,
  repository    VARCHAR(255) NOT NULL,
  ref           TEXT NOT NULL,
  path          TEXT NOT NULL,
  start_line    INT NOT NULL,
  line_count    INT NOT NULL,
  -- null where they are older than all commits that are known
  origin_commit VARCHAR(64),
  origin_path   TEXT,
  origin_line   INT,
  PRIMARY KEY (org_id, repository, ref, path, start_line)
);
CREATE INDEX head_runs_origin ON head_runs (org_id, repository, origin_commit);

-- From when to when a commit's lines stood at a ref's tip. Renamed or moved they live on; two copies have two lives.
CREATE TABLE line_lives (
  id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id        VARCHAR(64) NOT NULL,
  repository    VARCHAR(255) NOT NULL,
  ref           TEXT NOT NULL,
  origin_commit VARCHAR(64) NOT NULL,
  origin_path   TEXT NOT NULL,
  first_line    INT NOT NULL,
  line_count    INT NOT NULL,
  -- of the first-parent commit that brought them, and of the first one without them
  born_depth    INT NOT NULL,
  born_at       TIMESTAMPTZ NOT NULL,
  died_depth    INT,
  died_at       TIMESTAMPTZ
);
CREATE INDEX line_lives_origin ON line_lives (org_id, repository, ref, origin_commit, origin_path);

-- From here on: what a policy says of these lines. Made anew from the above and the policy's verdicts.

-- The lines of a file at a ref's tip that share an origin; blank ones are in none.
CREATE TABLE head_file_lines (
  org_id     VARCHAR(64) NOT NULL,
  policy_id  VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  ref        TEXT NOT NULL,
  path       TEXT NOT NULL,
  ordinal    INT NOT NULL,
  project_id VARCHAR(255) NOT NULL,
  language   VARCHAR(32) NOT NULL,
  -- P kept from AI, M changed from AI, H human, U of unknown origin
  kind       CHAR(1) NOT NULL CHECK (kind IN ('P', 'M', 'H', 'U')),
  source     VARCHAR(10),
  model      VARCHAR(128),
  -- null where the origin is unknown
  evidence   VARCHAR(10),
  confidence VARCHAR(10),
  user_id    VARCHAR(512),
  lines      INT NOT NULL,
  PRIMARY KEY (org_id, policy_id, repository, ref, path, ordinal)
);

-- The lives of lines, as far as the policy has judged the commit that added them; blank ones are in none.
CREATE TABLE life_lines (
  org_id        VARCHAR(64) NOT NULL,
  policy_id     VARCHAR(64) NOT NULL,
  repository    VARCHAR(255) NOT NULL,
  ref           TEXT NOT NULL,
  ordinal       BIGINT GENERATED ALWAYS AS IDENTITY,
  project_id    VARCHAR(255) NOT NULL,
  origin_commit VARCHAR(64) NOT NULL,
  language      VARCHAR(32) NOT NULL,
  kind          CHAR(1) NOT NULL CHECK (kind IN ('P', 'M', 'H')),
  source        VARCHAR(10),
  model         VARCHAR(128),
  user_id       VARCHAR(512) NOT NULL,
  born_at       TIMESTAMPTZ NOT NULL,
  died_at       TIMESTAMPTZ,
  lines         INT NOT NULL,
  PRIMARY KEY (org_id, policy_id, repository, ref, ordinal)
);
CREATE INDEX life_lines_origin ON life_lines (org_id, policy_id, repository, ref, origin_commit);

-- Policies under which a repository's lines are labelled: those that have judged a commit of it.
CREATE TABLE labelled_repositories (
  org_id     VARCHAR(64) NOT NULL,
  policy_id  VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  PRIMARY KEY (org_id, policy_id, repository)
);

-- Commits of which a verdict has come, or another one: a row for each time.
CREATE TABLE ledger_relabels (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id     VARCHAR(64) NOT NULL,
  policy_id  VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  commit_sha VARCHAR(64) NOT NULL
);
CREATE INDEX ledger_relabels_repository ON ledger_relabels (org_id, repository);

-- Files, and the origins of lives, that have changed since they were labelled.
CREATE TABLE stale_head_files (
  org_id     VARCHAR(64) NOT NULL,
  repository VARCHAR(255) NOT NULL,
  ref        TEXT NOT NULL,
  path       TEXT NOT NULL,
  PRIMARY KEY (org_id, repository, ref, path)
);
CREATE TABLE stale_lives (
  org_id        VARCHAR(64) NOT NULL,
  repository    VARCHAR(255) NOT NULL,
  ref           TEXT NOT NULL,
  origin_commit VARCHAR(64) NOT NULL,
  PRIMARY KEY (org_id, repository, ref, origin_commit)
);
