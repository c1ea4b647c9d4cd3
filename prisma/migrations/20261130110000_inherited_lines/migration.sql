-- added lines that a move or a change of white space brought: nobody's new authorship (decision 8)
ALTER TABLE commit_files
  ADD COLUMN inherited_lines INT NOT NULL DEFAULT 0,
  ADD COLUMN inherited JSONB NOT NULL DEFAULT '[]';
