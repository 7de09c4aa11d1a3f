-- Users who sign in, what they may do with accounts, and monthly caps of keys. Digests are hexadecimal SHA-256.

-- +goose Up
ALTER TABLE accounts ADD COLUMN suspended_at BIGINT;
ALTER TABLE accounts ADD COLUMN deleted_at BIGINT; -- personal data is erased; the row stays for the ledger

CREATE TABLE users (
    id            TEXT   NOT NULL PRIMARY KEY,
    email         TEXT   NOT NULL UNIQUE, -- in lower case
    name          TEXT   NOT NULL,
    password_hash TEXT,                   -- argon2id in the PHC string format; NULL for users of OpenID Connect
    oidc_issuer   TEXT,
    oidc_subject  TEXT,
    is_operator   BIGINT NOT NULL,        -- 1 or 0
    created_at    BIGINT NOT NULL,
    verified_at   BIGINT,                 -- when the e-mail address was verified
    signed_in_at  BIGINT,                 -- latest sign-in
    UNIQUE (oidc_issuer, oidc_subject)
);

CREATE TABLE members (
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    user_id    TEXT   NOT NULL REFERENCES users (id),
    role       TEXT   NOT NULL CHECK (role IN ('owner', 'member')),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, user_id)
);

CREATE INDEX members_user ON members (user_id);

CREATE TABLE sessions (
    digest     TEXT   NOT NULL PRIMARY KEY, -- of the token in the cookie
    user_id    TEXT REFERENCES users (id),  -- NULL before sign-in
    data       BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,             -- latest write
    expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Tokens of links that work once: a row is deleted when its token is used.
CREATE TABLE one_time_tokens (
    digest     TEXT   NOT NULL PRIMARY KEY,
    purpose    TEXT   NOT NULL CHECK (purpose IN ('operator', 'invitation', 'verification', 'email', 'reset')),
    user_id    TEXT REFERENCES users (id),
    account_id TEXT REFERENCES accounts (id),
    email      TEXT,
    role       TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX one_time_tokens_user ON one_time_tokens (user_id);
CREATE INDEX one_time_tokens_expiry ON one_time_tokens (expires_at);

-- Failed sign-ins and sign-ups. subject is the digest of what is counted, such as an address.
CREATE TABLE attempts (
    subject TEXT   NOT NULL PRIMARY KEY,
    count   BIGINT NOT NULL,
    since   BIGINT NOT NULL, -- first attempt that counts
    latest  BIGINT NOT NULL
);

CREATE INDEX attempts_latest ON attempts (latest);

CREATE TABLE operator_log (
    id         TEXT   NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL,
    actor      TEXT   NOT NULL, -- ID of a user, or 'console' for the command line
    action     TEXT   NOT NULL,
    account_id TEXT,
    subject    TEXT,            -- ID of what was changed, such as a user
    detail     TEXT   NOT NULL
);

CREATE INDEX operator_log_at ON operator_log (at);

-- A meter counts the points of a key and of all keys that replaced it, or of an account's playground.
CREATE TABLE meters (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    cap        BIGINT CHECK (cap >= 0) -- points per month; NULL for no cap
);

CREATE TABLE meter_balances (
    meter_id TEXT   NOT NULL REFERENCES meters (id),
    period   TEXT   NOT NULL,
    used     BIGINT NOT NULL CHECK (used >= 0),
    held     BIGINT NOT NULL CHECK (held >= 0),
    PRIMARY KEY (meter_id, period)
);

ALTER TABLE api_keys ADD COLUMN last_four TEXT; -- of the key; unknown for older keys
ALTER TABLE api_keys ADD COLUMN replaces TEXT REFERENCES api_keys (id);
ALTER TABLE api_keys ADD COLUMN meter_id TEXT REFERENCES meters (id);

INSERT INTO meters (id, account_id) SELECT id, account_id FROM api_keys;
UPDATE api_keys SET meter_id = id, replaces = (SELECT o.id FROM api_keys o WHERE o.replaced_by = api_keys.id);

ALTER TABLE holds ADD COLUMN key_id TEXT; -- NULL for the playground and for older holds
ALTER TABLE holds ADD COLUMN meter_id TEXT;

-- Usage by day and key is read only from this index.
CREATE INDEX holds_usage ON holds (account_id, period, created_at, key_id, meter_id, points) WHERE state = 'settled';

ALTER TABLE balances ADD COLUMN granted BIGINT NOT NULL DEFAULT 0; -- points that operators added to the allowance
ALTER TABLE entries ADD COLUMN reason TEXT;                        -- of a grant by an operator

-- Notices that were sent, so that only one replica sends each.
CREATE TABLE notices (
    subject TEXT   NOT NULL, -- ID of a key, a meter or an account
    kind    TEXT   NOT NULL,
    sent_at BIGINT NOT NULL,
    PRIMARY KEY (subject, kind)
);

-- +goose Down
DROP TABLE notices;
ALTER TABLE entries DROP COLUMN reason;
ALTER TABLE balances DROP COLUMN granted;
DROP INDEX holds_usage;
ALTER TABLE holds DROP COLUMN meter_id;
ALTER TABLE holds DROP COLUMN key_id;
ALTER TABLE api_keys DROP COLUMN meter_id;
ALTER TABLE api_keys DROP COLUMN replaces;
ALTER TABLE api_keys DROP COLUMN last_four;
DROP TABLE meter_balances;
DROP TABLE meters;
DROP TABLE operator_log;
DROP TABLE attempts;
DROP TABLE one_time_tokens;
DROP TABLE sessions;
DROP TABLE members;
DROP TABLE users;
ALTER TABLE accounts DROP COLUMN deleted_at;
ALTER TABLE accounts DROP COLUMN suspended_at;
