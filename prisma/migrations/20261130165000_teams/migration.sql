-- Groups of people, beside projects.
CREATE TABLE teams (
  org_id   VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  team_id  VARCHAR(64) NOT NULL,
  name     TEXT NOT NULL,
  PRIMARY KEY (org_id, team_id)
);
CREATE TABLE team_members (
  org_id     VARCHAR(64) NOT NULL REFERENCES tenants (org_id),
  team_id    VARCHAR(64) NOT NULL,
  -- an address of the person: the person it belongs to when somebody asks
  person_id  VARCHAR(512) NOT NULL,
  PRIMARY KEY (org_id, team_id, person_id)
);
