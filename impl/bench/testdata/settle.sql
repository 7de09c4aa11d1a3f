-- What the ledger runs for Hold and Settle of a key without a cap.
\set id random(1, 9000000000000000000)
BEGIN;
INSERT INTO holds (id, account_id, period, points, state, created_at, expires_at, idempotency_key, fingerprint, key_id, meter_id)
VALUES ('bench_' || :id, :account, :period, 10, 'held', 1, 9000000000000000, NULL, NULL, NULL, NULL)
ON CONFLICT (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING;
UPDATE balances SET held = held + 10, seq = seq + 1
WHERE account_id = :account AND period = :period AND total - used - held >= 10 RETURNING total, used, held, seq, granted \gset
INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at, reason)
VALUES (:account, :period, :seq, 'hold', -10, :total::bigint - :used::bigint - :held::bigint, 'bench_' || :id, 1, NULL);
COMMIT;
BEGIN;
UPDATE balances SET held = held - 10, used = used + 10, seq = seq + 1
WHERE account_id = :account AND period = :period AND held >= 10 RETURNING total, used, held, seq, granted \gset
UPDATE holds SET state = 'settled', ended_at = 2, answer = NULL, answer_until = NULL, idempotency_key = NULL, fingerprint = NULL
WHERE id = 'bench_' || :id AND state = 'held' AND expires_at > 2;
INSERT INTO entries (account_id, period, seq, kind, points, remaining, hold_id, at, reason)
VALUES (:account, :period, :seq, 'settle', 0, :total::bigint - :used::bigint - :held::bigint, 'bench_' || :id, 2, NULL);
COMMIT;
