-- How the completions that a session accepted stood some time after, as its newest report says (docs/decisions/0035).
CREATE TABLE session_survival (
  org_id           VARCHAR(64) NOT NULL,
  session_id       VARCHAR(64) NOT NULL,
  -- since a completion was accepted
  after_seconds    INT NOT NULL,
  -- of so many completions
  checks           INT NOT NULL,
  -- at most half of the words differed
  still_in_code    INT NOT NULL,
  -- means over the checks, from 1 (unchanged) to 0, by edit distance
  word_similarity  DECIMAL(7,6) NOT NULL,
  char_similarity  DECIMAL(7,6) NOT NULL,
  PRIMARY KEY (org_id, session_id, after_seconds)
);
