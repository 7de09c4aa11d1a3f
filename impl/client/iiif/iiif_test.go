package iiif_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client/iiif"
)

const manifest2 = `{"@context":"http://iiif.io/api/presentation/2/context.json","@id":"https://a.test/m","@type":"sc:Manifest",
"label":[{"@value":"Ein  Buch","@language":"de"},{"@value":"A book","@language":"en"}],
"thumbnail":{"@id":"https://a.test/thumb.jpg","@type":"dctypes:Image"},
"sequences":[{"@type":"sc:Sequence","canvases":[
 {"@id":"https://a.test/c1","@type":"sc:Canvas","label":"f. 1r","width":1000,"height":2000,
  "thumbnail":{"@id":"https://a.test/t1.jpg","service":{"@id":"https://a.test/thumbs/1","profile":"http://iiif.io/api/image/2/level0.json"}},
  "images":[{"@type":"oa:Annotation","motivation":"sc:painting","on":"https://a.test/c1",
   "resource":{"@id":"https://a.test/1.jpg","@type":"dctypes:Image","service":[
    {"@context":"http://iiif.io/api/auth/1/context.json","@id":"https://a.test/login","profile":"http://iiif.io/api/auth/1/login"},
    {"@context":"http://iiif.io/api/image/2/context.json","@id":"https://a.test/iiif/1/","profile":["http://iiif.io/api/image/2/level2.json",{"maxWidth":9}]}]}}]},
 {"@id":"https://a.test/c2","@type":"sc:Canvas","label":{"@value":"f. 1v"},"images":[{"resource":{"@type":"oa:Choice",
   "default":{"@id":"https://a.test/day.jpg","@type":"dctypes:Image"},"item":[{"@id":"https://a.test/uv.jpg","@type":"dctypes:Image"}]}}]},
 {"@id":"https://a.test/c3","@type":"sc:Canvas","label":"missing","images":[]},
 {"@id":"https://a.test/c4","@type":"sc:Canvas","images":[
  {"motivation":"sc:painting","on":"https://a.test/c4#xywh=0,0,500,900","resource":{"@id":"https://a.test/left.jpg","@type":"dctypes:Image"}},
  {"motivation":"sc:painting","on":{"@type":"oa:SpecificResource","full":"https://a.test/c4","selector":{"@type":"oa:FragmentSelector"}},"resource":{"@id":"https://a.test/right.jpg","@type":"dctypes:Image"}}]}
]},{"canvases":[]}]}`

const manifest3 = `{"@context":["http://example.org/x.json","http://iiif.io/api/presentation/3/context.json"],"id":"https://b.test/m","type":"Manifest",
"label":{"fr":["Un livre"],"de":["Ein Buch"]},"thumbnail":[{"id":"https://b.test/t.jpg","type":"Image"}],
"items":[
 {"id":"https://b.test/c1","type":"Canvas","label":{"none":["1"]},"width":800,"height":600,
  "thumbnail":[{"id":"https://b.test/t1.jpg","type":"Image","service":[{"id":"https://b.test/thumb/1","type":"ImageService3","profile":"level0"}]}],
  "annotations":[{"type":"AnnotationPage","items":[{"type":"Annotation","motivation":"commenting","body":{"id":"https://b.test/note.jpg","type":"Image"}}]}],
  "items":[{"type":"AnnotationPage","items":[
   {"type":"Annotation","motivation":"tagging","body":{"id":"https://b.test/no.jpg","type":"Image"},"target":"https://b.test/c1"},
   {"type":"Annotation","motivation":"painting","target":"https://b.test/c1","body":{"id":"https://b.test/full/1.jpg","type":"Image","service":[{"id":"https://b.test/iiif/1","type":"ImageService3","profile":"level1"}]}}]}]},
 {"id":"https://b.test/c2","type":"Canvas","items":[{"type":"AnnotationPage","items":[
   {"type":"Annotation","motivation":["painting"],"body":{"type":"Choice","items":[{"type":"Sound","id":"https://b.test/s.mp3"},{"id":"https://b.test/2.png","type":"Image"}]},"target":"https://b.test/c2"}]}]},
 {"id":"https://b.test/c3","type":"Canvas","items":[{"type":"AnnotationPage","items":[
   {"type":"Annotation","motivation":"painting","body":{"type":"SpecificResource","source":{"id":"https://b.test/3.tif","type":"Image","service":{"@id":"https://b.test/iiif2/3","@type":"ImageService2"}}},"target":"https://b.test/c3"},
   {"type":"Annotation","motivation":"painting","body":{"id":"https://b.test/3-back.tif","type":"Image"},"target":"https://b.test/c3"}]}]},
 {"id":"https://b.test/c4","type":"Canvas","items":[{"type":"AnnotationPage","items":[
   {"type":"Annotation","motivation":"painting","body":{"type":"Video","id":"https://b.test/v.mp4"},"target":"https://b.test/c4"}]}]}
]}`

func TestParse(t *testing.T) {
	t.Parallel()
	doc, err := iiif.Parse([]byte(manifest2))
	require.NoError(t, err)
	assert.Equal(t, &iiif.Document{ID: "https://a.test/m", Label: "Ein Buch", Canvases: []iiif.Canvas{
		{ID: "https://a.test/c1", Label: "f. 1r", Width: 1000, Height: 2000, Images: []string{"https://a.test/iiif/1/info.json"}},
		{ID: "https://a.test/c2", Label: "f. 1v", Images: []string{"https://a.test/day.jpg"}},
		{ID: "https://a.test/c3", Label: "missing"},
		{ID: "https://a.test/c4", Images: []string{"https://a.test/left.jpg", "https://a.test/right.jpg"}},
	}}, doc)

	doc, err = iiif.Parse([]byte("\xef\xbb\xbf" + manifest3))
	require.NoError(t, err)
	assert.Equal(t, &iiif.Document{ID: "https://b.test/m", Label: "Ein Buch", Canvases: []iiif.Canvas{
		{ID: "https://b.test/c1", Label: "1", Width: 800, Height: 600, Images: []string{"https://b.test/iiif/1/info.json"}},
		{ID: "https://b.test/c2", Images: []string{"https://b.test/2.png"}},
		{ID: "https://b.test/c3", Images: []string{"https://b.test/iiif2/3/info.json"}},
		{ID: "https://b.test/c4"},
	}}, doc)
}

func TestParse_Collection(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`{"@id":"c","@type":"sc:Collection","label":"All","manifests":[{"@id":"m1","@type":"sc:Manifest"}],"collections":[{"@id":"c2","@type":"sc:Collection"}],"members":[{"@id":"m3","@type":"sc:Manifest"}]}`,
		`{"id":"c","type":"Collection","label":{"en":["All"],"de":["Alle"]},"items":[{"id":"m1","type":"Manifest"},{"id":"c2","type":"Collection"},{"id":"x","type":"Canvas"},{"id":"m3","type":"Manifest"}]}`,
	} {
		doc, err := iiif.Parse([]byte(source))
		require.NoError(t, err)
		assert.Equal(t, &iiif.Document{ID: "c", Label: "All", IsCollection: true, Links: []string{"m1", "c2", "m3"}}, doc)
	}
}

func TestParse_NotIIIF(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"", "<html>", "[]", "{}", `{"type":"Canvas"}`, `{"@context":"http://iiif.io/api/image/2/context.json","width":1}`, `{"type":["Manifest"`} {
		_, err := iiif.Parse([]byte(source))
		require.ErrorIs(t, err, iiif.ErrNotIIIF, source)
	}
}

// FuzzParse shows that no JSON makes the parser fail in another way.
func FuzzParse(f *testing.F) {
	f.Add([]byte(manifest2))
	f.Add([]byte(manifest3))
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := iiif.Parse(body)
		if err != nil {
			require.ErrorIs(t, err, iiif.ErrNotIIIF)
			return
		}
		require.True(t, json.Valid(body) || len(body) > 3)
		for _, canvas := range doc.Canvases {
			require.NotContains(t, canvas.Images, "")
		}
	})
}
