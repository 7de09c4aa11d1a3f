-- One schema for SQLite and Postgres. Times are microseconds since 1970-01-01 UTC, periods are calendar months UTC
-- ('2026-03'), and every text is compared by its bytes.

-- +goose Up
CREATE TABLE accounts (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    plan       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id           TEXT   NOT NULL PRIMARY KEY,
    account_id   TEXT   NOT NULL REFERENCES accounts (id),
    name         TEXT   NOT NULL,
    digest       TEXT   NOT NULL UNIQUE, -- hexadecimal HMAC-SHA-256 of the key; the key itself is not kept
    allow        TEXT   NOT NULL,        -- CIDRs separated by commas; empty allows every address
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT,
    replaced_by  TEXT REFERENCES api_keys (id)
);

CREATE INDEX api_keys_account ON api_keys (account_id);

-- remaining = total - used - held = the sum of the entries of the period.
CREATE TABLE balances (
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    period     TEXT   NOT NULL,
    total      BIGINT NOT NULL,
    used       BIGINT NOT NULL CHECK (used >= 0),
    held       BIGINT NOT NULL CHECK (held >= 0),
    seq        BIGINT NOT NULL, -- number of the latest entry
    PRIMARY KEY (account_id, period),
    CHECK (used + held <= total)
);

CREATE TABLE holds (
    id              TEXT   NOT NULL PRIMARY KEY,
    account_id      TEXT   NOT NULL,
    period          TEXT   NOT NULL,
    points          BIGINT NOT NULL CHECK (points > 0),
    state           TEXT   NOT NULL CHECK (state IN ('held', 'settled', 'released', 'expired')),
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    ended_at        BIGINT,
    idempotency_key TEXT,   -- kept while held, and as long as the answer is kept
    fingerprint     BYTEA,  -- of the first request with this idempotency key
    answer          BYTEA,
    answer_until    BIGINT,
    FOREIGN KEY (account_id, period) REFERENCES balances (account_id, period) DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX holds_idempotency ON holds (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX holds_running ON holds (expires_at) WHERE state = 'held';
CREATE INDEX holds_answered ON holds (answer_until) WHERE answer_until IS NOT NULL;

-- Append-only: rows are neither changed nor deleted.
CREATE TABLE entries (
    account_id TEXT   NOT NULL,
    period     TEXT   NOT NULL,
    seq        BIGINT NOT NULL, -- 1, 2, 3, ... without gaps in each period of an account
    kind       TEXT   NOT NULL CHECK (kind IN ('grant', 'hold', 'settle', 'release', 'expire', 'adjust')),
    points     BIGINT NOT NULL, -- added to the remaining points; negative for a hold
    remaining  BIGINT NOT NULL, -- after this entry
    hold_id    TEXT REFERENCES holds (id),
    at         BIGINT NOT NULL,
    PRIMARY KEY (account_id, period, seq),
    FOREIGN KEY (account_id, period) REFERENCES balances (account_id, period)
);

CREATE TABLE windows (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES accounts (id),
    started_at BIGINT NOT NULL,
    requests   BIGINT NOT NULL
);

-- +goose Down
DROP TABLE windows;
DROP TABLE entries;
DROP TABLE holds;
DROP TABLE balances;
DROP TABLE api_keys;
DROP TABLE accounts;
