//go:build !amd64 && !arm64

package sandbox

const arch = 0

var (
	archCalls      []uint32
	archConditions []condition
)
