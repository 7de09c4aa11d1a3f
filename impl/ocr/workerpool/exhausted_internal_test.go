package workerpool

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestExhaustedImages(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	e := newExhaustedImages(func() time.Time { return now })
	require.True(t, e.isEmpty())
	page := newDigest("a", []byte("page"))
	e.add(page)
	require.True(t, e.has(page))
	require.False(t, e.has(newDigest("b", []byte("page"))), "another account learns nothing")
	require.False(t, e.has(newDigest("a", []byte("other"))))
	now = now.Add(refusalTime)
	require.False(t, e.has(page), "it may be tried again after ten minutes")
	require.True(t, e.isEmpty())
	for i := range uint64(maxExhaustedImages + 5) {
		e.add(newDigest("a", binary.BigEndian.AppendUint64(nil, i)))
	}
	require.Len(t, e.until, maxExhaustedImages)
	require.Len(t, e.order, maxExhaustedImages)
	require.False(t, e.has(newDigest("a", binary.BigEndian.AppendUint64(nil, 4))))
	require.True(t, e.has(newDigest("a", binary.BigEndian.AppendUint64(nil, 5))))
}
