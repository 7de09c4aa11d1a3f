package app

import (
	"log/slog"
	"os"
	"runtime/debug"

	"uncial/impl/cgroup"
)

const (
	mib = 1 << 20
	// maxImages is the maximum memory for the images of requests in progress, in bytes: 38 images of 20 MiB.
	maxImages = 768 * mib
	// minImages is that maximum on a small machine, in bytes: two images while their buffers grow.
	minImages = 80 * mib
	// Images may use 1/imageDivisor of all memory: the workers need most of it.
	imageDivisor = 6
	// base is the memory that the service needs without images, in bytes.
	base = 128 * mib
)

// imageMemory returns how many bytes the images may take in a process that may use limit bytes together with its workers.
func imageMemory(limit uint64) int64 {
	return int64(max(minImages, min(limit/imageDivisor, maxImages)))
}

// limitHeap makes the garbage collector keep the process within what the images and the service itself need, plus half of the
// images' memory for images that were just released. GOMEMLIMIT takes precedence.
func limitHeap(images int64, log *slog.Logger) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := images + images/2 + base
	debug.SetMemoryLimit(limit)
	log.Info("memory limited", "images_mib", images/mib, "heap_mib", limit/mib, "available_mib", cgroup.Limit()/mib)
}
