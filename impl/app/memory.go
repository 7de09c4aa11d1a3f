package app

import (
	"log/slog"
	"os"
	"runtime/debug"

	"uncial/impl/cgroup"
)

const (
	mib = 1 << 20
	// maxImages is the memory for the images of requests in progress, in bytes: 38 images of 20 MiB.
	maxImages = 768 * mib
	// minImages is the limit on a small machine: two images, while their buffers grow.
	minImages = 80 * mib
	// imageShare is the part of all memory, a sixth, that images may take: the workers need most of it.
	imageShare = 6
	// base is the memory of the service without images, in bytes.
	base = 128 * mib
)

// imageMemory returns the memory for images of a process that may use limit bytes together with its workers.
func imageMemory(limit uint64) int64 {
	return int64(max(minImages, min(limit/imageShare, maxImages)))
}

// limitHeap limits the Go heap to what the service and the images need, with half as much again for images that have just been released.
// GOMEMLIMIT takes precedence.
func limitHeap(images int64, log *slog.Logger) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := images + images/2 + base
	debug.SetMemoryLimit(limit)
	log.Info("memory limited", "images_mib", images/mib, "heap_mib", limit/mib, "available_mib", cgroup.Limit()/mib)
}
