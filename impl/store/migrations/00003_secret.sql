-- Which secret a key was made with, so that a process with another one can say so.

-- +goose Up
ALTER TABLE api_keys ADD COLUMN secret_id TEXT; -- hexadecimal; unknown for older keys

-- +goose Down
ALTER TABLE api_keys DROP COLUMN secret_id;
