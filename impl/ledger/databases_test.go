package ledger_test

import (
	"uncial/impl/store/storetest"
	"uncial/testcontainers"
)

var databases = storetest.Databases(testcontainers.Postgres)
