//go:build !race

package user_test

import "time"

// signInTime bounds a sign-in under attack.
const signInTime = 5 * time.Second
