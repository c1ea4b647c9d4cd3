-- Further views for readers of SQL (docs/sql.md): lines by what they are, people under their addresses, teams.

CREATE VIEW v_lines_daily WITH (security_barrier) AS
SELECT c.org_id, c.policy_id, p.active, c.date, c.project_id, c.user_id, c.repository, c.language,
  NULLIF(c.source, '') AS source, NULLIF(c.model, '') AS model, c.evidence, c.confidence, c.counted,
  c.total_lines AS lines,
  c.ai_preserved_lines AS preserved,
  c.ai_modified_lines AS modified,
  c.human_new_lines AS human,
  c.ai_preserved_lines + 0.5 * c.ai_modified_lines AS weighted,
  c.suspect_lines AS suspect
FROM sql_readers reader
JOIN policies p ON p.org_id = reader.org_id AND p.dropped_at IS NULL
JOIN attribution_cells c ON c.org_id = p.org_id AND c.policy_id = p.policy_id
WHERE reader.role_name = current_user
  -- the other rows are sums of these
  AND c.user_id <> '';

-- Whose an address is by what people and mailmaps have decided. What a host's noreply addresses say is no table's.
CREATE VIEW v_people WITH (security_barrier) AS
WITH RECURSIVE chain AS (
  SELECT DISTINCT i.org_id, i.user_id, i.user_id AS person_id, 0 AS length
  FROM sql_readers reader
  JOIN identities i ON i.org_id = reader.org_id
  WHERE reader.role_name = current_user
  UNION ALL
  SELECT c.org_id, c.user_id, a.person_id, c.length + 1
  FROM chain c
  JOIN person_aliases a ON a.org_id = c.org_id AND a.alias = c.person_id
  -- a mailmap may call proper what somebody has merged into the address it replaces
  WHERE a.person_id <> a.alias AND a.person_id <> c.user_id AND c.length < 10
)
SELECT DISTINCT ON (org_id, user_id) org_id, user_id, person_id
FROM chain
ORDER BY org_id, user_id, length DESC;

CREATE VIEW v_teams WITH (security_barrier) AS
SELECT t.org_id, t.team_id, t.name, own.person_id, own.user_id
FROM sql_readers reader
JOIN teams t ON t.org_id = reader.org_id
JOIN team_members m ON m.org_id = t.org_id AND m.team_id = t.team_id
JOIN v_people member ON member.org_id = m.org_id AND member.user_id = m.person_id
JOIN v_people own ON own.org_id = member.org_id AND own.person_id = member.person_id
WHERE reader.role_name = current_user;
