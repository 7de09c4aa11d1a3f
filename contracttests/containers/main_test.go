// Package containers_test tests the service in containers: the suite against the production images (suite_test.go),
// several replicas and engines that crash (fleet_test.go), and connections that fail (faults_test.go).
package containers_test

import (
	"testing"

	"uncial/impl/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
