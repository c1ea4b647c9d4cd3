-- The first day of the organisation's weeks, as ISO 8601 numbers them: 1 Monday … 7 Sunday.
ALTER TABLE tenants ADD COLUMN week_start SMALLINT NOT NULL DEFAULT 1 CHECK (week_start BETWEEN 1 AND 7);
