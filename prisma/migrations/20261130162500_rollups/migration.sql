-- What the statistics read instead of results (docs/decisions/0035). Written with the daily rows, in their
-- transaction, from the same results. Rows of a person in a project are as results and sessions say. Those with the
-- user_id '' are sums of them: of everybody in a project, and with the project_id '' as well of the organisation.

-- Lines by what they are, …
CREATE TABLE attribution_cells (
  org_id      VARCHAR(64) NOT NULL,
  policy_id   VARCHAR(64) NOT NULL,
  user_id     VARCHAR(512) NOT NULL,
  project_id  VARCHAR(255) NOT NULL,
  date        DATE NOT NULL,
  -- false for provisional work
  counted     BOOLEAN NOT NULL,
  -- '' in sums of the organisation
  repository  VARCHAR(255) NOT NULL,
  language    VARCHAR(32) NOT NULL,
  -- '' where a line has none
  source      VARCHAR(10) NOT NULL,
  model       VARCHAR(128) NOT NULL,
  evidence    VARCHAR(10) NOT NULL,
  confidence  VARCHAR(10) NOT NULL,
  total_lines         INT NOT NULL,
  ai_preserved_lines  INT NOT NULL,
  ai_modified_lines   INT NOT NULL,
  human_new_lines     INT NOT NULL,
  -- of human_new_lines
  suspect_lines       INT NOT NULL,
  -- AI lines of results that have a similarity, and the sum of theirs
  similar_lines       INT NOT NULL,
  similarity          DECIMAL(16,3) NOT NULL,
  PRIMARY KEY (org_id, policy_id, user_id, project_id, date, counted, repository, language, source, model, evidence,
               confidence)
);
CREATE INDEX attribution_cells_repository ON attribution_cells (org_id, policy_id, repository, date)
  WHERE user_id = '' AND project_id <> '';

-- … commits and what clients reported, …
CREATE TABLE attribution_days (
  org_id      VARCHAR(64) NOT NULL,
  policy_id   VARCHAR(64) NOT NULL,
  user_id     VARCHAR(512) NOT NULL,
  project_id  VARCHAR(255) NOT NULL,
  date        DATE NOT NULL,
  -- with at least one result
  commits              INT NOT NULL,
  provisional_commits  INT NOT NULL,
  sessions                  INT NOT NULL,
  tab_suggestions_shown     INT NOT NULL,
  tab_suggestions_accepted  INT NOT NULL,
  chat_edits                INT NOT NULL,
  agent_tasks               INT NOT NULL,
  -- how often it was looked whether a completion still stands, and the sum of what was found, by words
  survival_checks           INT NOT NULL,
  survival_similarity       DECIMAL(18,6) NOT NULL,
  PRIMARY KEY (org_id, policy_id, user_id, project_id, date)
);

-- … and files with AI lines that count: of a person in a project on a day, the repository and path as a hash, …
CREATE TABLE attribution_file_days (
  org_id      VARCHAR(64) NOT NULL,
  policy_id   VARCHAR(64) NOT NULL,
  user_id     VARCHAR(512) NOT NULL,
  date        DATE NOT NULL,
  project_id  VARCHAR(255) NOT NULL,
  file_key    UUID NOT NULL,
  PRIMARY KEY (org_id, policy_id, user_id, date, project_id, file_key)
);
CREATE INDEX attribution_file_days_file ON attribution_file_days (org_id, policy_id, file_key, date, project_id);

-- … and how many files have AI lines on a day and had them before on another one ('-infinity': never). Those of a
-- period whose day before lies outside of it are its distinct files. The project_id '' is the organisation.
CREATE TABLE attribution_file_gaps (
  org_id      VARCHAR(64) NOT NULL,
  policy_id   VARCHAR(64) NOT NULL,
  project_id  VARCHAR(255) NOT NULL,
  date        DATE NOT NULL,
  previous    DATE NOT NULL,
  files       INT NOT NULL,
  PRIMARY KEY (org_id, policy_id, project_id, date, previous)
);

INSERT INTO attribution_cells
SELECT org_id, policy_id, l.user_id, l.project_id, day, counted, l.repository, language, COALESCE(match_source, ''),
       COALESCE(model, ''), evidence, confidence, SUM(total_lines), SUM(ai_preserved_lines), SUM(ai_modified_lines),
       SUM(human_new_lines), SUM(suspect_lines),
       COALESCE(SUM(ai_preserved_lines + ai_modified_lines) FILTER (WHERE minhash_similarity IS NOT NULL), 0),
       COALESCE(SUM(minhash_similarity * (ai_preserved_lines + ai_modified_lines)), 0)
FROM ai_attribution_results r
CROSS JOIN LATERAL (VALUES (r.user_id, r.project_id, r.repository), ('', r.project_id, r.repository), ('', '', ''))
  AS l (user_id, project_id, repository)
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
HAVING SUM(total_lines) > 0;

INSERT INTO attribution_days
SELECT org_id, policy_id, l.user_id, l.project_id, date, SUM(commits), SUM(provisional), SUM(sessions), SUM(shown),
       SUM(accepted), SUM(edits), SUM(tasks), 0, 0
FROM (
  SELECT org_id, policy_id, user_id, project_id, day AS date,
         COUNT(DISTINCT (repository, commit_sha)) FILTER (WHERE counted) AS commits,
         COUNT(DISTINCT (repository, commit_sha)) FILTER (WHERE NOT counted) AS provisional,
         0 AS sessions, 0 AS shown, 0 AS accepted, 0 AS edits, 0 AS tasks
  FROM ai_attribution_results
  GROUP BY 1, 2, 3, 4, 5
  UNION ALL
  SELECT d.org_id, d.policy_id, d.user_id, d.project_id, d.date, 0, 0, COUNT(*), SUM(s.tab_suggestions_shown),
         SUM(s.tab_suggestions_accepted), SUM(s.chat_edits), SUM(s.agent_tasks)
  FROM ai_attribution_daily d
  JOIN activity_sessions s
    ON s.org_id = d.org_id AND s.day = d.date AND s.user_id = d.user_id AND s.project_id = d.project_id
  GROUP BY 1, 2, 3, 4, 5
) r
CROSS JOIN LATERAL (VALUES (r.user_id, r.project_id), ('', r.project_id), ('', '')) AS l (user_id, project_id)
GROUP BY 1, 2, 3, 4, 5;

INSERT INTO attribution_file_days
SELECT DISTINCT org_id, policy_id, user_id, day, project_id,
       md5(jsonb_build_array(repository, file_path)::text)::uuid
FROM ai_attribution_results
WHERE counted AND ai_preserved_lines + ai_modified_lines > 0;

INSERT INTO attribution_file_gaps
SELECT org_id, policy_id, project_id, date, previous, COUNT(*)
FROM (
  SELECT org_id, policy_id, project_id, date,
         COALESCE(LAG(date) OVER (PARTITION BY org_id, policy_id, project_id, file_key ORDER BY date), '-infinity')
           AS previous
  FROM (
    SELECT DISTINCT d.org_id, d.policy_id, l.project_id, d.date, d.file_key
    FROM attribution_file_days d
    CROSS JOIN LATERAL (VALUES (d.project_id), ('')) AS l (project_id)
  ) days
) gaps
GROUP BY 1, 2, 3, 4, 5;
