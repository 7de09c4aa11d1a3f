-- Holds of old months and their entries are removed. Their usage by day and key stays, and an opening entry replaces the entries.

-- +goose Up
-- The usage of settled holds that were removed, as the ledger would have returned it.
CREATE TABLE usage_days (
    account_id  TEXT   NOT NULL,
    period      TEXT   NOT NULL,
    day         BIGINT NOT NULL, -- since 1970-01-01 UTC
    key_id      TEXT   NOT NULL, -- or the meter of the playground; empty for uses before keys were recorded
    meter_id    TEXT   NOT NULL, -- empty if no meter counted them
    extractions BIGINT NOT NULL,
    points      BIGINT NOT NULL,
    PRIMARY KEY (account_id, period, day, key_id, meter_id),
    FOREIGN KEY (account_id, period) REFERENCES balances (account_id, period)
);

ALTER TABLE balances ADD COLUMN archived_at BIGINT; -- when the removal of its holds and their entries began
ALTER TABLE balances ADD COLUMN removed_at BIGINT;  -- when none were left

CREATE INDEX balances_kept ON balances (period, account_id) WHERE removed_at IS NULL;
CREATE INDEX holds_returned ON holds (account_id, period) WHERE state IN ('released', 'expired');

-- The table is copied, because SQLite cannot change a constraint. hold_id no longer refers to holds, because otherwise removing a
-- hold would search all entries.
CREATE TABLE new_entries (
    account_id TEXT   NOT NULL,
    period     TEXT   NOT NULL,
    seq        BIGINT NOT NULL, -- 1, 2, 3, ... in each period of an account; 0 for the opening entry
    kind       TEXT   NOT NULL CHECK (kind IN ('opening', 'grant', 'hold', 'settle', 'release', 'expire', 'adjust')),
    points     BIGINT NOT NULL, -- added to the remaining points; negative for a hold
    remaining  BIGINT NOT NULL, -- after this entry
    hold_id    TEXT,
    at         BIGINT NOT NULL,
    reason     TEXT,            -- of a grant by an operator
    removed    BIGINT NOT NULL DEFAULT 0, -- number of entries that the opening entry replaces
    PRIMARY KEY (account_id, period, seq),
    FOREIGN KEY (account_id, period) REFERENCES balances (account_id, period)
);
INSERT INTO new_entries (account_id, period, seq, kind, points, remaining, hold_id, at, reason)
    SELECT account_id, period, seq, kind, points, remaining, hold_id, at, reason FROM entries;
DROP TABLE entries;
ALTER TABLE new_entries RENAME TO entries;

-- +goose Down
ALTER TABLE entries RENAME TO old_entries;
CREATE TABLE entries (
    account_id TEXT   NOT NULL,
    period     TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    kind       TEXT   NOT NULL CHECK (kind IN ('grant', 'hold', 'settle', 'release', 'expire', 'adjust')),
    points     BIGINT NOT NULL,
    remaining  BIGINT NOT NULL,
    hold_id    TEXT REFERENCES holds (id),
    at         BIGINT NOT NULL,
    reason     TEXT,
    PRIMARY KEY (account_id, period, seq),
    FOREIGN KEY (account_id, period) REFERENCES balances (account_id, period)
);
INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at, reason)
    SELECT account_id, period, seq, kind, points, remaining, hold_id, at, reason FROM old_entries WHERE kind <> 'opening';
DROP TABLE old_entries;
DROP INDEX holds_returned;
DROP INDEX balances_kept;
ALTER TABLE balances DROP COLUMN removed_at;
ALTER TABLE balances DROP COLUMN archived_at;
DROP TABLE usage_days;
