package client

import "time"

// SetPause sets the pause after the first try.
func (c *Client) SetPause(d time.Duration) { c.pause = d }
