-- Who changed what (docs/decisions/0043). The tables' own triggers write it, in the transaction of the change, so that
-- no way to change them goes past it. Requests may add and read entries (row security), not change or delete them.
CREATE TABLE audit_entries (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id VARCHAR(64) NOT NULL,
  at     TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  -- the person, or the public part of an organisation's key; null for who works at the database itself
  actor  VARCHAR(255),
  -- what it was done to and what was done: `policy.created`, `policy.changed`, `policy.deleted`
  action VARCHAR(64) NOT NULL,
  target TEXT NOT NULL,
  -- of a change what differs; null before something was created, and after it was deleted
  before JSONB,
  after  JSONB
);
CREATE INDEX audit_entries_org ON audit_entries (org_id, at, id);
-- Both are read as one list, newest first.
CREATE INDEX code_reads_time ON code_reads (org_id, read_at, id);

-- Arguments: what the row is, the column that names it, and columns that are never written down, separated by commas.
CREATE FUNCTION lineprint_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  hidden CONSTANT text[] := string_to_array(TG_ARGV[2], ',');
  actor  CONSTANT text := NULLIF(current_setting('lineprint.actor', true), '');
  was jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) - hidden END;
  now jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) - hidden END;
  row CONSTANT jsonb := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
  differing text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    SELECT array_agg(key) INTO differing FROM jsonb_each(now) WHERE value IS DISTINCT FROM was -> key;
    IF differing IS NULL THEN RETURN NULL; END IF;
    SELECT jsonb_object_agg(key, was -> key), jsonb_object_agg(key, now -> key) INTO was, now
    FROM unnest(differing) AS key;
  END IF;
  INSERT INTO audit_entries (org_id, actor, action, target, before, after)
  VALUES (
    row ->> 'org_id',
    COALESCE(actor, row ->> 'decided_by', CASE TG_OP WHEN 'INSERT' THEN row ->> 'created_by' END),
    TG_ARGV[0] || '.' || CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END,
    row ->> TG_ARGV[1],
    was,
    now
  );
  RETURN NULL;
END $$;

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF active, live, description, dropped_at ON policies
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('policy', 'policy_id', 'org_id,policy_id,created_by,created_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF scopes, expires_at, revoked_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('api_key', 'prefix', 'org_id,prefix,hash,user_id,created_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF retired_at ON line_keys
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('line_key', 'key_id', 'org_id,key_id,secret,created_at');

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON tenants
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('organisation', 'org_id', 'created_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE ON sql_readers
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('sql_reader', 'role_name', 'org_id,role_name,created_at');

CREATE TRIGGER audit AFTER INSERT ON replays
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('replay', 'replay_id',
    'org_id,replay_id,created_by,created_at,stage,has_group,paced_until,sampled,sampled_at,sampled_before,sampled_before_at');

-- What workers do to a replay is its progress.
CREATE TRIGGER audit_change AFTER UPDATE OF status ON replays
  FOR EACH ROW WHEN (NEW.status IN ('paused', 'cancelled') OR OLD.status IN ('paused', 'cancelled', 'failed'))
  EXECUTE FUNCTION lineprint_audit('replay', 'replay_id',
    'org_id,replay_id,created_by,created_at,stage,has_group,paced_until,sampled,sampled_at,sampled_before,sampled_before_at');

-- Who says whose an address is; what mailmaps say is the repository's history.
CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON person_aliases
  FOR EACH ROW WHEN (NULLIF(current_setting('lineprint.actor', true), '') IS NOT NULL)
  EXECUTE FUNCTION lineprint_audit('person_alias', 'alias', 'org_id,alias,decided_by,decided_at');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON people
  FOR EACH ROW WHEN (NULLIF(current_setting('lineprint.actor', true), '') IS NOT NULL)
  EXECUTE FUNCTION lineprint_audit('person', 'person_id', 'org_id,person_id');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON teams
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('team', 'team_id', 'org_id,team_id');

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE OF secret, credential, clone_url, counted_refs ON connected_repositories
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('connected_repository', 'repository',
    'org_id,repository,hook_id,created_by,created_at,seen,due_at,fetched_at,failures,error_code,error_message,claim,claimed_at,claimed_until');

CREATE TRIGGER audit AFTER INSERT OR UPDATE ON dead_letters
  FOR EACH ROW EXECUTE FUNCTION lineprint_audit('dead_letter', 'topic', 'org_id,topic,decided_by,decided_at');
