//go:build !race

package user_test

import "time"

const signInTime = 5 * time.Second
