package source_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/impl/client/source/sourcetest"
	"uncial/impl/volume"
)

func TestReader_Expand_PartialImages(t *testing.T) {
	t.Parallel()
	const part = `{"motivation":"painting","target":"https://a.test/c#xywh=%d,0,50,80","body":{"id":"https://a.test/%[1]d.jpg","type":"Image"}}`
	path := sourcetest.Write(t, t.TempDir(), "manifest.json", fmt.Appendf(nil, `{"type":"Manifest","items":[
		{"id":"https://a.test/c","type":"Canvas","width":100,"height":80,"items":[{"items":[%s,%s]}]}]}`, fmt.Sprintf(part, 0), fmt.Sprintf(part, 50)))
	set := mustExpand(t, mustReader(t), path)
	assert.Equal(t, []string{"https://a.test/c", "https://a.test/c#image=2"}, positions(set))
	for _, p := range set.Pages {
		assert.Equal(t, volume.Canvas{IsPartial: true}, p.Canvas, "boxes of a part have no known place on the canvas")
	}
}

func TestReader_Expand_CanvasesWithoutIDs(t *testing.T) {
	t.Parallel()
	const canvas = `{"type":"Canvas","items":[{"items":[{"motivation":"painting","body":{"id":"https://a.test/%d.jpg","type":"Image"}}]}]}`
	path := sourcetest.Write(t, t.TempDir(), "manifest.json", fmt.Appendf(nil, `{"id":"https://a.test/m","type":"Manifest","items":[%s,%s]}`, fmt.Sprintf(canvas, 1), fmt.Sprintf(canvas, 2)))
	set := mustExpand(t, mustReader(t), path)
	assert.Equal(t, []string{"https://a.test/m#canvas=1", "https://a.test/m#canvas=2"}, positions(set))
	assert.Empty(t, set.Pages[0].Canvas.ID)
}
