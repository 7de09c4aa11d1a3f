-- The row that a running service writes now and then, to know that it can.

-- +goose Up
CREATE TABLE probes (
    id         BIGINT NOT NULL PRIMARY KEY,
    written_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE probes;
