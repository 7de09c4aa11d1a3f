package cgroup

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLimit(t *testing.T) {
	t.Parallel()
	const machine = "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n" // 8 and 6 GiB
	const member = "0::/unit\n"
	for name, c := range map[string]struct {
		files       map[string]string
		limit, free uint64
	}{
		"takes the limit of the control group": {
			map[string]string{
				"proc/meminfo": machine, "proc/self/cgroup": member, "sys/fs/cgroup/unit/memory.max": "4294967296\n",
				"sys/fs/cgroup/unit/memory.current": "2147483648\n", "sys/fs/cgroup/unit/memory.stat": "anon 1\ninactive_file 1073741824\n",
			}, 4 << 30, 3 << 30,
		},
		"takes the memory of the machine if the group has no limit": {
			map[string]string{"proc/meminfo": machine, "proc/self/cgroup": member, "sys/fs/cgroup/unit/memory.max": "max\n"}, 8 << 30, 6 << 30,
		},
		"takes the memory of the machine if that is less": {
			map[string]string{
				"proc/meminfo": machine, "proc/self/cgroup": member, "sys/fs/cgroup/unit/memory.max": "17179869184\n",
				"sys/fs/cgroup/unit/memory.current": "0\n",
			}, 8 << 30, 6 << 30,
		},
		"takes the memory of the machine where only groups of version 1 exist": {
			map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/unit\n"}, 8 << 30, 6 << 30,
		},
		"takes an unknown limit for none": {nil, math.MaxUint64, math.MaxUint64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, text := range c.files {
				path := filepath.Join(root, file)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			require.Equal(t, c.limit, limitOf(root))
			require.Equal(t, c.free, freeOf(root))
		})
	}
}
