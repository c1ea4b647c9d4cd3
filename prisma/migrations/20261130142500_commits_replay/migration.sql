-- A replay from commits judges candidates of its own before it follows those of everyone (docs/decisions/0021).
ALTER TABLE replays DROP CONSTRAINT replays_stage_check;
ALTER TABLE replays ADD CONSTRAINT replays_stage_check CHECK (stage IN ('index', 'analyse', 'judge-own', 'judge'));
ALTER TABLE replays
  -- whether its topic of candidates, and the groups that write and read it, may exist
  ADD COLUMN has_topic BOOLEAN NOT NULL DEFAULT FALSE,
  -- the process that fills the index for it, and until when nobody else does
  ADD COLUMN filled_by VARCHAR(64),
  ADD COLUMN filled_until TIMESTAMPTZ;
