-- By the file first: a planner without statistics took the index for look-ups of days, and read all of a policy's.
DROP INDEX attribution_file_days_file;
CREATE INDEX attribution_file_days_file ON attribution_file_days (file_key, org_id, policy_id, date, project_id);
