// Package containers_test proves the service on containers: the suite against the production images, a fleet that loses
// members in the middle of its work, and wires that fail.
package containers_test

import (
	"testing"

	"uncial/impl/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
