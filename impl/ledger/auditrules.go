package ledger

// A subject is a kind of row that an audit checks. Each row is checked against all rules at once, because finding the rows
// costs much more than comparing them. The query begins with "FROM" and names the account, the period, and the hold or meter in
// columns.
type subject struct {
	columns, from string
	rules         []rule
}

// rule is one equation that every row must satisfy; text states it with "must" or "may". expected and found are SQL. A rule
// does not apply if either is NULL.
type rule struct{ text, expected, found string }

// Parts of the queries. Holds and entries of archived months are being removed in no particular order, so only sums are checked
// there.
const (
	isArchived = `b.archived_at IS NOT NULL`

	// entriesByBalance sums up the entries of each balance.
	entriesByBalance = `(SELECT account_id, period, COUNT(CASE WHEN kind <> 'opening' THEN 1 END) + CAST(SUM(removed) AS BIGINT) AS entries,
			MIN(CASE WHEN kind <> 'opening' THEN seq END) AS first, MAX(seq) AS last,
			CAST(SUM(points) AS BIGINT) AS remaining,
			CAST(SUM(CASE WHEN kind IN ('grant', 'adjust') THEN points ELSE 0 END) AS BIGINT) AS granted,
			CAST(SUM(CASE WHEN kind = 'grant' AND reason IS NOT NULL THEN points ELSE 0 END) AS BIGINT) AS reasoned,
			COUNT(CASE kind WHEN 'opening' THEN 1 END) AS openings
		FROM entries GROUP BY account_id, period) AS e`
	// entriesByHold sums up the entries of each hold.
	entriesByHold = `(SELECT account_id, period, hold_id, COUNT(CASE kind WHEN 'hold' THEN 1 END) AS taking,
			CAST(SUM(CASE kind WHEN 'hold' THEN points ELSE 0 END) AS BIGINT) AS taken,
			CAST(SUM(CASE kind WHEN 'hold' THEN 0 ELSE points END) AS BIGINT) AS returned,
			COUNT(CASE kind WHEN 'hold' THEN NULL ELSE 1 END) AS endings,
			COUNT(CASE kind WHEN 'settle' THEN 1 END) AS settlings,
			COUNT(CASE kind WHEN 'release' THEN 1 END) AS releases,
			COUNT(CASE kind WHEN 'expire' THEN 1 END) AS expiries
		FROM entries WHERE hold_id IS NOT NULL GROUP BY account_id, period, hold_id) AS e`
	// sumsOfHolds are the columns of a sum over holds.
	sumsOfHolds = `CAST(SUM(CASE state WHEN 'held' THEN points ELSE 0 END) AS BIGINT) AS held,
			CAST(SUM(CASE state WHEN 'settled' THEN points ELSE 0 END) AS BIGINT) AS used`
	// usedInDays sums up usage_days, each row of which stands for holds that were removed.
	usedInDays = `CAST(SUM(points) AS BIGINT) AS used FROM usage_days`

	// endings is the number of entries that must end a hold, and matching the number of those whose kind matches its state.
	endings  = `CASE WHEN h.state = 'held' THEN 0 ELSE 1 END`
	matching = `CASE h.state WHEN 'settled' THEN COALESCE(e.settlings, 0) WHEN 'released' THEN COALESCE(e.releases, 0)
		WHEN 'expired' THEN COALESCE(e.expiries, 0) ELSE 0 END`
)

// subjects are all rules that the tables must satisfy. A new kind of entry or state needs its rules here.
var subjects = []subject{
	{
		`b.account_id, b.period, ''`,
		`FROM balances b LEFT JOIN ` + entriesByBalance + ` ON e.account_id = b.account_id AND e.period = b.period
		LEFT JOIN (SELECT account_id, period, ` + sumsOfHolds + ` FROM holds GROUP BY account_id, period) AS h
			ON h.account_id = b.account_id AND h.period = b.period
		LEFT JOIN (SELECT account_id, period, ` + usedInDays + ` GROUP BY account_id, period) AS d
			ON d.account_id = b.account_id AND d.period = b.period`,
		[]rule{
			{"the entries must add up to the remaining points", `COALESCE(e.remaining, 0)`, `b.total - b.used - b.held`},
			{"grants and adjustments must add up to the total of the period", `COALESCE(e.granted, 0)`, `b.total`},
			{"grants with a reason must add up to the granted points", `COALESCE(e.reasoned, 0)`, `b.granted`},
			{"the balance must count its entries", `b.seq`, `COALESCE(e.entries, 0)`},
			{"the entries must be numbered from 1", `1`, `e.first`},
			{"the latest entry must have the number that the balance names", `CASE WHEN ` + isArchived + ` THEN NULL ELSE b.seq END`, `e.last`},
			{"only an archived month may have an opening entry", `CASE WHEN ` + isArchived + ` THEN NULL ELSE 0 END`, `e.openings`},
			{"running holds must add up to the held points", `COALESCE(h.held, 0)`, `b.held`},
			{"settled holds and the usage of removed holds must add up to the used points", `COALESCE(h.used, 0) + COALESCE(d.used, 0)`, `b.used`},
		},
	},
	{
		`h.account_id, h.period, h.id`,
		`FROM holds h JOIN balances b ON b.account_id = h.account_id AND b.period = h.period AND b.archived_at IS NULL
		LEFT JOIN ` + entriesByHold + ` ON e.hold_id = h.id AND e.account_id = h.account_id AND e.period = h.period`,
		[]rule{
			{"each hold must have one entry that takes its points", `1`, `COALESCE(e.taking, 0)`},
			{"the entry of a hold must take exactly its points", `-h.points`, `e.taken`},
			{"a hold that has ended must have one entry for its end, and a running hold none", endings, `COALESCE(e.endings, 0)`},
			{"the entry for the end of a hold must match its state", endings, matching},
			{
				"the entry for the end of a hold must return its points unless it was settled",
				`CASE WHEN h.state IN ('released', 'expired') THEN h.points ELSE 0 END`, `COALESCE(e.returned, 0)`,
			},
		},
	},
	{
		`account_id, period, hold_id`,
		`FROM (SELECT e.account_id, e.period, COALESCE(e.hold_id, '') AS hold_id, e.remaining, CAST(SUM(e.points) OVER
				(PARTITION BY e.account_id, e.period ORDER BY e.seq) AS BIGINT) AS so_far
			FROM entries e JOIN balances b ON b.account_id = e.account_id AND b.period = e.period
			WHERE b.archived_at IS NULL OR e.kind = 'opening') AS running`,
		[]rule{{"each entry must record the sum of the entries up to it", `so_far`, `remaining`}},
	},
	{
		`e.account_id, e.period, COALESCE(e.hold_id, '')`,
		`FROM entries e LEFT JOIN balances b ON b.account_id = e.account_id AND b.period = e.period
		LEFT JOIN holds h ON h.id = e.hold_id`,
		[]rule{
			{"each entry must belong to a balance", `1`, `CASE WHEN b.account_id IS NULL THEN 0 ELSE 1 END`},
			{
				"each entry of a hold must belong to a hold that exists",
				`CASE WHEN e.kind IN ('opening', 'grant', 'adjust') OR ` + isArchived + ` THEN NULL ELSE 1 END`, `CASE WHEN h.id IS NULL THEN 0 ELSE 1 END`,
			},
		},
	},
	{
		`h.account_id, h.period, h.id`,
		`FROM holds h LEFT JOIN balances b ON b.account_id = h.account_id AND b.period = h.period
		LEFT JOIN meter_balances c ON c.meter_id = h.meter_id AND c.period = h.period`,
		[]rule{
			{"each hold must belong to a balance", `1`, `CASE WHEN b.account_id IS NULL THEN 0 ELSE 1 END`},
			{
				"each running or settled hold with a meter must belong to a balance of the meter",
				`CASE WHEN h.meter_id IS NULL OR h.state NOT IN ('held', 'settled') THEN NULL ELSE 1 END`,
				`CASE WHEN c.meter_id IS NULL THEN 0 ELSE 1 END`,
			},
		},
	},
	{
		`m.account_id, c.period, c.meter_id`,
		`FROM meter_balances c JOIN meters m ON m.id = c.meter_id
		LEFT JOIN (SELECT meter_id, period, ` + sumsOfHolds + ` FROM holds WHERE meter_id IS NOT NULL GROUP BY meter_id, period) AS h
			ON h.meter_id = c.meter_id AND h.period = c.period
		LEFT JOIN (SELECT meter_id, period, ` + usedInDays + ` GROUP BY meter_id, period) AS d
			ON d.meter_id = c.meter_id AND d.period = c.period`,
		[]rule{
			{"running holds must add up to the held points of their meter", `COALESCE(h.held, 0)`, `c.held`},
			{
				"settled holds and the usage of removed holds must add up to the used points of their meter",
				`COALESCE(h.used, 0) + COALESCE(d.used, 0)`, `c.used`,
			},
		},
	},
}
