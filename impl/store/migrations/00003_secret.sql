-- Identifies the key secret that a key was made with, so that a process with another secret can warn about the key.

-- +goose Up
ALTER TABLE api_keys ADD COLUMN secret_id TEXT; -- hexadecimal; unknown for older keys

-- +goose Down
ALTER TABLE api_keys DROP COLUMN secret_id;
