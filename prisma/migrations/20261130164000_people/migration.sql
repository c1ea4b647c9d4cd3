-- People have many addresses (docs/decisions/0037). Commits, sessions and results keep the address that they came with;
-- who that is, is found when somebody asks.

-- The user ids that commits and sessions carry, each with the names beside it.
CREATE TABLE identities (
  org_id    VARCHAR(64) NOT NULL,
  user_id   VARCHAR(512) NOT NULL,
  -- the author's name; empty for sessions, which have none
  name      TEXT NOT NULL,
  -- whether the commit was declared an AI's by this author
  declared  BOOLEAN NOT NULL,
  PRIMARY KEY (org_id, user_id, name, declared)
);
INSERT INTO identities (org_id, user_id, name, declared)
SELECT DISTINCT org_id, user_id, author_name, declared_by IS NOT DISTINCT FROM 'author' FROM commits;
INSERT INTO identities (org_id, user_id, name, declared)
SELECT DISTINCT org_id, user_id, '', FALSE FROM activity_sessions;

-- What is known of a person beyond the addresses.
CREATE TABLE people (
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  -- the address that the person is called by
  person_id   VARCHAR(512) NOT NULL,
  -- as somebody has set it; without it as commits and mailmaps say
  name        TEXT,
  -- as somebody has set it; without it by the names and addresses
  person_kind VARCHAR(10) CHECK (person_kind IN ('person', 'bot', 'assistant')),
  PRIMARY KEY (org_id, person_id)
);

-- Whose an address is. The person may be an alias of another one; an alias of itself is nobody else's.
CREATE TABLE person_aliases (
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  alias       VARCHAR(512) NOT NULL,
  person_id   VARCHAR(512) NOT NULL,
  -- what a host's noreply address or a login says is not stored: it follows from the addresses
  by          VARCHAR(10) NOT NULL CHECK (by IN ('manual', 'mailmap')),
  -- as the mailmap calls the person
  name        TEXT,
  decided_by  VARCHAR(255),
  decided_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, alias)
);

-- The entries of each repository's .mailmap, from which the aliases by mailmap are made anew when one changes.
CREATE TABLE mailmaps (
  org_id      VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  repository  VARCHAR(255) NOT NULL,
  -- [{properName, properEmail, commitName, commitEmail}]
  entries     JSONB NOT NULL,
  updated_at  TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  PRIMARY KEY (org_id, repository)
);
