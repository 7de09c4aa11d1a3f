-- What a request for /status reads: the key and its account, the window, the balance.
SELECT k.id, k.account_id, k.name, k.allow, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
	COALESCE(k.last_four, ''), COALESCE(k.replaces, ''), COALESCE(k.replaced_by, ''), COALESCE(k.meter_id, ''), m.cap,
	a.id, a.name, a.plan, a.created_at, a.suspended_at, a.deleted_at
FROM api_keys k LEFT JOIN meters m ON m.id = k.meter_id JOIN accounts a ON a.id = k.account_id WHERE k.digest = :digest;
SELECT started_at, requests FROM windows WHERE account_id = :account;
SELECT a.plan, b.total, b.used + b.held, m.cap, COALESCE(c.used + c.held, 0) FROM accounts a
LEFT JOIN balances b ON b.account_id = a.id AND b.period = :period
LEFT JOIN meters m ON m.id = (SELECT meter_id FROM api_keys WHERE digest = :digest)
LEFT JOIN meter_balances c ON c.meter_id = m.id AND c.period = :period WHERE a.id = :account;
