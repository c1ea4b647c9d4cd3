-- Snippets are numbered in their organisation, so that the recall index names one in 4 bytes (docs/decisions/0012).

-- The next number, from 1. Numbers are never given twice, also not when a snippet is deleted.
CREATE TABLE recall_counters (
  org_id   VARCHAR(64) PRIMARY KEY,
  next_id  BIGINT NOT NULL
);

ALTER TABLE ai_code_fingerprint_ids ADD COLUMN recall_id BIGINT;
UPDATE ai_code_fingerprint_ids AS i SET recall_id = numbered.n
  FROM (
    SELECT org_id, code_id, ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY created_at, code_id) AS n
    FROM ai_code_fingerprint_ids
  ) AS numbered
  WHERE (i.org_id, i.code_id) = (numbered.org_id, numbered.code_id);
INSERT INTO recall_counters (org_id, next_id)
  SELECT org_id, MAX(recall_id) + 1 FROM ai_code_fingerprint_ids GROUP BY org_id;
ALTER TABLE ai_code_fingerprint_ids ALTER COLUMN recall_id SET NOT NULL;
CREATE UNIQUE INDEX ai_code_fingerprint_ids_recall_id ON ai_code_fingerprint_ids (org_id, recall_id);
