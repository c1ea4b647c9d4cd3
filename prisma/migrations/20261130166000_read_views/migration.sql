-- What Grafana and other readers of SQL see (docs/sql.md, docs/decisions/0038). A reader is a role of Postgres with
-- rights on these views alone; of each it sees the organisations that sql_readers names for it, and without a row none.
-- They are barriers: no function of a reader is given a row before the organisation was compared.

CREATE TABLE sql_readers (
  role_name  VARCHAR(63) NOT NULL,
  org_id     VARCHAR(64) NOT NULL REFERENCES tenants (org_id) ON DELETE CASCADE,
  created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (role_name, org_id)
);

CREATE VIEW v_organisations WITH (security_barrier) AS
SELECT t.org_id, t.name, t.time_zone
FROM sql_readers reader
JOIN tenants t ON t.org_id = reader.org_id
WHERE reader.role_name = current_user;

CREATE VIEW v_policies WITH (security_barrier) AS
SELECT p.org_id, p.policy_id, p.active, p.live, p.description, p.created_at
FROM sql_readers reader
JOIN policies p ON p.org_id = reader.org_id
WHERE reader.role_name = current_user AND p.dropped_at IS NULL;

CREATE VIEW v_attribution_daily WITH (security_barrier) AS
SELECT d.org_id, d.policy_id, p.active, d.date, d.project_id, d.user_id,
  d.total_commits AS commits,
  d.total_lines AS lines,
  d.ai_preserved_lines AS preserved,
  d.ai_modified_lines AS modified,
  d.human_new_lines AS human,
  d.ai_attributed_lines AS weighted,
  d.tab_ai_lines AS tab_weighted,
  d.chat_ai_lines AS chat_weighted,
  d.agent_ai_lines AS agent_weighted,
  d.matched_ai_lines AS matched_weighted,
  d.declared_ai_lines AS declared_weighted,
  d.estimated_ai_lines AS estimated_weighted,
  d.high_confidence_lines AS high,
  d.low_confidence_lines AS low,
  d.suspect_lines AS suspect,
  d.tab_suggestions_shown AS suggestions_shown,
  d.tab_suggestions_accepted AS suggestions_accepted,
  d.chat_edit_count AS chat_edits,
  d.agent_task_count AS agent_tasks
FROM sql_readers reader
JOIN policies p ON p.org_id = reader.org_id AND p.dropped_at IS NULL
JOIN ai_attribution_daily d ON d.org_id = p.org_id AND d.policy_id = p.policy_id
WHERE reader.role_name = current_user;

CREATE VIEW v_commits WITH (security_barrier) AS
SELECT c.org_id, v.policy_id, p.active, c.repository, c.sha AS commit_sha, c.project_id, c.user_id, c.author_name,
  c.authored_at, c.committed_at, c.branch,
  CARDINALITY(c.parents) > 1 AS merge,
  c.declared_tool, c.late, c.counted, f.files, f.deleted,
  r.lines, r.preserved, r.modified, r.human, r.preserved + 0.5 * r.modified AS weighted,
  f.inherited - r.copied AS inherited,
  f.excluded
FROM sql_readers reader
JOIN policies p ON p.org_id = reader.org_id AND p.dropped_at IS NULL
JOIN commits c ON c.org_id = p.org_id
JOIN commit_verdicts v
  ON v.org_id = c.org_id AND v.policy_id = p.policy_id AND v.repository = c.repository AND v.commit_sha = c.sha
CROSS JOIN LATERAL (
  SELECT COUNT(*) AS files,
    COALESCE(SUM(deleted_lines), 0) AS deleted,
    COALESCE(SUM(inherited_lines), 0) AS inherited,
    COALESCE(SUM(added_lines) FILTER (WHERE commit_files.excluded IS NOT NULL), 0) AS excluded
  FROM commit_files
  WHERE org_id = c.org_id AND policy_id = p.policy_id AND repository = c.repository AND commit_sha = c.sha
) f
CROSS JOIN LATERAL (
  SELECT COALESCE(SUM(total_lines), 0) AS lines,
    COALESCE(SUM(ai_preserved_lines), 0) AS preserved,
    COALESCE(SUM(ai_modified_lines), 0) AS modified,
    COALESCE(SUM(human_new_lines), 0) AS human,
    COALESCE(SUM(total_lines) FILTER (WHERE copied_from <> ''), 0) AS copied
  FROM ai_attribution_results
  WHERE org_id = c.org_id AND policy_id = p.policy_id AND repository = c.repository AND commit_sha = c.sha
) r
WHERE reader.role_name = current_user;

-- A range of lines that a commit adds; lines that count in a copy of their commit have no place of their own there.
CREATE VIEW v_lines WITH (security_barrier) AS
SELECT r.org_id, r.policy_id, p.active, r.repository, r.commit_sha, r.file_path AS path, l.start AS start_line,
  l.lines,
  CASE l.kind WHEN 'P' THEN 'preserved' WHEN 'M' THEN 'modified' ELSE 'human' END AS kind,
  r.evidence, r.confidence, r.match_source AS source, r.model, r.matched_code_id AS code_id,
  r.minhash_similarity AS similarity, r.evidence_bits AS bits,
  r.language, r.project_id, r.user_id, c.author_name, r.day, r.commit_timestamp AS at, r.counted,
  NULLIF(r.copied_from, '') AS copied_from
FROM sql_readers reader
JOIN policies p ON p.org_id = reader.org_id AND p.dropped_at IS NULL
JOIN ai_attribution_results r ON r.org_id = p.org_id AND r.policy_id = p.policy_id
JOIN commits c ON c.org_id = r.org_id AND c.repository = r.repository AND c.sha = r.commit_sha
CROSS JOIN LATERAL (
  SELECT range.start, range.count AS lines, range.kind
  FROM commit_files f
  CROSS JOIN LATERAL jsonb_to_recordset(f.lines) AS range (start int, count int, kind text, result int)
  WHERE f.org_id = r.org_id AND f.policy_id = r.policy_id AND f.repository = r.repository
    AND f.commit_sha = r.commit_sha AND f.file_path = r.file_path
    AND r.copied_from = '' AND range.result = r.ordinal
  UNION ALL
  SELECT NULL, part.lines, part.kind
  FROM (VALUES ('P', r.ai_preserved_lines), ('M', r.ai_modified_lines), ('H', r.human_new_lines))
    AS part (kind, lines)
  WHERE r.copied_from <> '' AND part.lines > 0
) l
WHERE reader.role_name = current_user;

-- The lines of a file at a branch's tip that share an origin.
CREATE VIEW v_head_lines WITH (security_barrier) AS
SELECT l.org_id, l.policy_id, p.active, l.repository, l.ref, COALESCE(d.default_ref = l.ref, FALSE) AS default_branch,
  h.sha AS commit_sha, h.at, l.project_id, l.path, l.language,
  CASE l.kind WHEN 'P' THEN 'preserved' WHEN 'M' THEN 'modified' WHEN 'H' THEN 'human' ELSE 'unknown' END AS kind,
  l.evidence, l.confidence, l.source, l.model, l.user_id, l.lines,
  CASE l.kind WHEN 'P' THEN l.lines ELSE 0 END AS preserved,
  CASE l.kind WHEN 'M' THEN l.lines ELSE 0 END AS modified,
  CASE l.kind WHEN 'H' THEN l.lines ELSE 0 END AS human,
  CASE l.kind WHEN 'U' THEN l.lines ELSE 0 END AS unknown,
  CASE l.kind WHEN 'P' THEN l.lines WHEN 'M' THEN 0.5 * l.lines ELSE 0 END AS weighted
FROM sql_readers reader
JOIN policies p ON p.org_id = reader.org_id AND p.dropped_at IS NULL
JOIN head_file_lines l ON l.org_id = p.org_id AND l.policy_id = p.policy_id
JOIN line_heads h ON h.org_id = l.org_id AND h.repository = l.repository AND h.ref = l.ref
LEFT JOIN counted_repositories d ON d.org_id = l.org_id AND d.repository = l.repository
WHERE reader.role_name = current_user;

CREATE VIEW v_head WITH (security_barrier) AS
SELECT org_id, policy_id, active, repository, ref, default_branch, commit_sha, at, project_id, path, language,
  SUM(lines) AS lines,
  SUM(preserved) AS preserved,
  SUM(modified) AS modified,
  SUM(human) AS human,
  SUM(unknown) AS unknown,
  SUM(weighted) AS weighted
FROM v_head_lines
GROUP BY org_id, policy_id, active, repository, ref, default_branch, commit_sha, at, project_id, path, language;

-- Lines that came to a branch's tip at one time, and left it at one time if they did. Days of 24 hours, whatever the
-- session's time zone.
CREATE VIEW v_lives WITH (security_barrier) AS
SELECT l.org_id, l.policy_id, p.active, l.repository, l.ref, COALESCE(d.default_ref = l.ref, FALSE) AS default_branch,
  l.project_id, l.origin_commit, l.language,
  CASE l.kind WHEN 'P' THEN 'preserved' WHEN 'M' THEN 'modified' ELSE 'human' END AS kind,
  CASE l.kind WHEN 'H' THEN 'human' ELSE 'ai' END AS origin,
  l.source, l.model, l.user_id, l.born_at, l.died_at, h.at AS seen_until,
  FLOOR(EXTRACT(EPOCH FROM l.died_at - l.born_at) / 86400)::int AS lived_days,
  FLOOR(EXTRACT(EPOCH FROM h.at - l.born_at) / 86400)::int AS followed_days,
  DATE_TRUNC('week', l.born_at AT TIME ZONE t.time_zone)::date AS week,
  l.lines
FROM sql_readers reader
JOIN tenants t ON t.org_id = reader.org_id
JOIN policies p ON p.org_id = reader.org_id AND p.dropped_at IS NULL
JOIN life_lines l ON l.org_id = p.org_id AND l.policy_id = p.policy_id
JOIN line_heads h ON h.org_id = l.org_id AND h.repository = l.repository AND h.ref = l.ref
LEFT JOIN counted_repositories d ON d.org_id = l.org_id AND d.repository = l.repository
WHERE reader.role_name = current_user;

-- Of the lines that came in a week, and whose branch has been followed for so many days since then: how many were
-- still there.
CREATE VIEW v_survival WITH (security_barrier) AS
WITH ages AS (
  SELECT ARRAY[0, 1, 3, 7, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365] AS days
), lives AS (
  -- by the last of these ages that the lines reached, and that they were followed for: each life is looked at once
  SELECT l.org_id, l.policy_id, l.active, l.repository, l.ref, l.default_branch, l.project_id, l.week, l.origin,
    l.source, l.model, SUM(l.lines) AS lines,
    WIDTH_BUCKET(l.lived_days, ages.days) AS lived,
    WIDTH_BUCKET(l.followed_days, ages.days) AS followed
  FROM v_lives l CROSS JOIN ages
  GROUP BY l.org_id, l.policy_id, l.active, l.repository, l.ref, l.default_branch, l.project_id, l.week, l.origin,
    l.source, l.model, lived, followed
)
SELECT l.org_id, l.policy_id, l.active, l.repository, l.ref, l.default_branch, l.project_id, l.week, l.origin,
  l.source, l.model, age.days AS age_days,
  SUM(l.lines) AS lines,
  COALESCE(SUM(l.lines) FILTER (WHERE l.lived IS NULL OR l.lived >= age.number), 0) AS alive
FROM lives l
CROSS JOIN ages
JOIN LATERAL UNNEST(ages.days) WITH ORDINALITY AS age (days, number) ON age.number <= l.followed
GROUP BY l.org_id, l.policy_id, l.active, l.repository, l.ref, l.default_branch, l.project_id, l.week, l.origin,
  l.source, l.model, age.days;
