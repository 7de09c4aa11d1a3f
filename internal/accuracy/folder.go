package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"uncial/internal/text"
)

// Page is a record of a folder's index: an image and its ground truth, with paths relative to the folder.
type Page struct {
	ID          string   `json:"id"`
	Collection  string   `json:"collection"`
	Language    string   `json:"lang"`      // BCP 47
	AlsoIn      []string `json:"lang_also"` // other languages on the page
	Date        string   `json:"date"`
	Kind        string   `json:"kind"` // "printed" or "handwritten"
	Image       string   `json:"image"`
	GroundTruth string   `json:"ground_truth"`
}

// Folder is a folder of page images with ground truth, described by an index.json.
type Folder struct {
	Pages []Page
	root  *os.Root
}

// OpenFolder reads the index.json of a folder: an array of pages, each with an id, a collection, a language, an image and a
// ground truth. Load refuses paths that leave the folder.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder of pages: %w", err)
	}
	pages, err := readIndex(root)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(dir, "index.json"), err), root.Close())
	}
	return &Folder{Pages: pages, root: root}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Load returns the bytes of a page's image file and its ground truth, without entities. Errors name the page.
func (f *Folder) Load(p Page) (image []byte, truth string, err error) {
	if image, err = f.root.ReadFile(filepath.FromSlash(p.Image)); err != nil {
		return nil, "", fmt.Errorf("image of %s: %w", p.ID, err)
	}
	t, err := f.root.ReadFile(filepath.FromSlash(p.GroundTruth))
	if err != nil {
		return nil, "", fmt.Errorf("ground truth of %s: %w", p.ID, err)
	}
	return image, text.WithoutEntities(string(t)), nil
}

// readIndex reads index.json. An empty list is an error: nothing measured must not look like no errors.
func readIndex(root *os.Root) ([]Page, error) {
	data, err := root.ReadFile("index.json")
	if err != nil {
		return nil, err
	}
	var pages []Page
	if err := json.Unmarshal(data, &pages); err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, errors.New("no pages listed; expected at least one")
	}
	for i, p := range pages {
		if p.ID == "" || p.Collection == "" || p.Language == "" || p.Image == "" || p.GroundTruth == "" {
			return nil, fmt.Errorf("page %d: id, collection, lang, image or ground_truth is missing; all are required", i+1)
		}
	}
	return pages, nil
}
