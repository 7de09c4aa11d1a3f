//go:build race

package contracttests_test

const raceEnabled = true
