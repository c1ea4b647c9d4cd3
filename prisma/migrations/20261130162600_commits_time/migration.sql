-- The newest commits of an organisation, in the order of their list.
CREATE INDEX commits_time ON commits (org_id, authored_at, repository COLLATE "C", sha);
