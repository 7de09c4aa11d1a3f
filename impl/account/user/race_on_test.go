//go:build race

package user_test

import "time"

// signInTime bounds a sign-in under attack. The race detector makes password hashes several times slower; the dashboard
// measures the real time without it.
const signInTime = 30 * time.Second
