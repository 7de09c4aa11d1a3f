-- One row that the health check of a running service updates, to find out whether the database accepts writes.

-- +goose Up
CREATE TABLE probes (
    id         BIGINT NOT NULL PRIMARY KEY,
    written_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE probes;
