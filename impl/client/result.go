package client

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"uncial/gen"
	"uncial/impl/client/durable"
	"uncial/impl/client/journal"
	"uncial/impl/client/picture"
	"uncial/impl/volume"
	"uncial/internal/contract"
	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/pagefile"
)

// extensions are the file name extensions of the formats. Those of ALTO and PAGE are doubled because both are XML.
var extensions = map[gen.Format]string{
	gen.Text: ".txt",
	gen.JSON: ".json",
	gen.Hocr: ".hocr",
	gen.Alto: ".alto.xml",
	gen.Page: ".page.xml",
	gen.Tsv:  ".tsv",
	gen.Pdf:  ".pdf",
}

// keep stores the answer to a page in the space reserved for it, then its files. Without a journal it returns the bytes for
// stdout. Errors are *failure: the next page would be charged and lost too. Files that are missing because the user interrupts
// are left to the next run.
func (r *run) keep(ctx context.Context, one *page, answer *journal.Answer, held *room) ([]byte, error) {
	if r.store.Journal == nil {
		form := gen.Format(r.cmd.Format[0])
		if r.cmd.JSON {
			form = gen.JSON
		}
		return r.render(ctx, one, answer, form)
	}
	r.storing.Lock()
	held.free()
	err := r.store.SaveAnswer(one.id, answer)
	r.storing.Unlock()
	if err != nil {
		return nil, &failure{1, durable.Explain("the answer to "+one.Source, err).Error()}
	}
	event := journal.Event{Kind: journal.Done, Page: one.id, IsEmpty: one.State == volume.Empty, Points: answer.Points}
	if err := r.store.Append(event); err != nil {
		return nil, &failure{1, durable.Explain("the journal", err).Error()}
	}
	one.written = nil
	r.attach(one)
	if err := r.writeFiles(ctx, one); err != nil && ctx.Err() == nil {
		return nil, &failure{1, err.Error()}
	}
	return nil, nil
}

// attach sets the functions that load the answer, the document and the images of a page that is read.
func (p *plan) attach(one *page) {
	one.Answer = func() (*gen.Extraction, error) {
		answer, err := p.load(one)
		if err != nil {
			return nil, err
		}
		if answer.Master != answer.Sent {
			mapAnswer(answer.Answer, answer.Master, answer.Sent)
		}
		return answer.Answer, nil
	}
	one.Document = func() (*document.Document, error) {
		answer, err := p.load(one)
		if err != nil {
			return nil, err
		}
		return documentOf(answer)
	}
	one.Image = func(ctx context.Context, n, maxSide int) (*volume.Image, error) { return p.image(ctx, one, n, maxSide) }
}

func (p *plan) load(one *page) (*journal.Answer, error) {
	if !one.State.IsRead() {
		return nil, errNotRead
	}
	return p.store.LoadAnswer(one.id)
}

// image loads an upright page, from its file or from the web.
func (p *plan) image(ctx context.Context, one *page, n, maxSide int) (*volume.Image, error) {
	doc, err := one.Document()
	if err != nil {
		return nil, err
	}
	if n < 0 || n >= len(doc.Pages) {
		return nil, fmt.Errorf("%s has no page %d", one.Source, n+1)
	}
	folder, err := os.MkdirTemp(p.store.temporary, "image-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	data, err := one.from.Picture(ctx, folder)
	if err != nil {
		return nil, err
	}
	return picture.Upright(data, n, doc.Pages[n].Rotation, maxSide)
}

// writeFiles writes the files of a page that do not exist yet. Errors say which file and why. A PDF whose picture cannot be
// loaded is left to the next run, and becomes one of r.problems: the other pages do not depend on it.
func (r *run) writeFiles(ctx context.Context, one *page) error {
	var missing []gen.Format
	for _, form := range r.cmd.formats() {
		_, err := os.Stat(filepath.Join(r.cmd.Out, one.Files[form]))
		if err != nil || !slices.Contains(one.written, string(form)) {
			missing = append(missing, form)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	answer, err := r.load(one)
	if err != nil {
		return fmt.Errorf("%s: %w", one.Source, err)
	}
	event := journal.Event{Kind: journal.Files, Page: one.id, Name: one.Name}
	for _, form := range missing {
		content, err := r.render(ctx, one, answer, form)
		if _, isPicture := errors.AsType[pictureError](err); isPicture {
			r.mu.Lock()
			r.problems = append(r.problems, fmt.Sprintf("%s: %v", one.Source, err))
			r.mu.Unlock()
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.Source, err)
		}
		if err := r.save(one.Files[form], func(to io.Writer) error { _, err := to.Write(content); return err }); err != nil {
			return err
		}
		event.Formats = append(event.Formats, string(form))
	}
	if len(event.Formats) == 0 {
		return nil
	}
	if err := r.store.Append(event); err != nil {
		return durable.Explain("the journal", err)
	}
	return nil
}

// pictureError means that the picture of a page could not be loaded.
type pictureError struct{ error }

// save writes a file of the output folder, whole or not at all. It is a volume.Save. It replaces only files of this program.
func (r *run) save(name string, write func(io.Writer) error) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("invalid file name %q; it must be relative and stay below --out", name)
	}
	path := filepath.Join(r.cmd.Out, name)
	if !r.store.IsOwn(name) {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("cannot write %s: another program has created it since this run began; move it, and run the command again", name)
		}
		if err := r.store.Append(journal.Event{Kind: journal.Write, File: name}); err != nil {
			return durable.Explain("the journal", err)
		}
	}
	if err := durable.Write(r.store.temporary, path, write); err != nil {
		return durable.Explain(name, err)
	}
	return nil
}

// render returns the bytes to write for one answer: for JSON the whole answer on one line with the name of its image, for text
// the text, and for the other formats the document. The result ends with a newline unless it is empty.
func (r *run) render(ctx context.Context, one *page, answer *journal.Answer, form gen.Format) ([]byte, error) {
	content := answer.Answer.Text
	switch form {
	case gen.JSON:
		return r.renderJSON(ctx, one, answer)
	case gen.Text:
	default:
		var err error
		if content, err = r.rendered(ctx, one, answer, form); err != nil {
			return nil, err
		}
	}
	if content != "" && form != gen.Pdf && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return []byte(content), nil
}

// rendered returns the document of an answer in a format. A document of the service in that format is used unchanged, unless
// its boxes must be mapped or the name of the image be put in.
func (r *run) rendered(ctx context.Context, one *page, answer *journal.Answer, form gen.Format) (string, error) {
	if answer.Answer.Document == nil {
		return "", fmt.Errorf("the response has no document in the format %s", form)
	}
	if r.store.Journal == nil && form == gen.Pdf {
		file, err := base64.StdEncoding.DecodeString(*answer.Answer.Document)
		if err != nil {
			return "", errors.New("the PDF from the service is not in base64")
		}
		return string(file), nil
	}
	if r.store.Journal == nil && answer.Master == answer.Sent {
		return *answer.Answer.Document, nil
	}
	doc, err := documentOf(answer)
	if err != nil {
		return "", err
	}
	if form == gen.Pdf {
		if err := r.addPictures(ctx, one, doc); err != nil {
			return "", err
		}
	}
	meta := format.Meta{Image: imageName(one.Source), Created: answer.ReadAt}
	if reader := answer.Answer.Reader; reader != nil && reader.Version != nil {
		meta.Version = *reader.Version
	}
	return format.Write(string(form), doc, meta)
}

// addPictures gives the pages of a document their pictures, for a PDF. The error is a pictureError.
func (r *run) addPictures(ctx context.Context, one *page, doc *document.Document) error {
	ctx, cancel := context.WithTimeout(ctx, r.cmd.Timeout)
	defer cancel()
	for i := range doc.Pages {
		image, err := r.image(ctx, one, i, 0)
		if err != nil {
			return pictureError{fmt.Errorf("the picture of page %d: %w", i+1, err)}
		}
		doc.Pages[i].Picture = image.Data
	}
	return nil
}

// renderJSON returns the whole answer on one line. Its document has the format of --format, if that has one.
func (r *run) renderJSON(ctx context.Context, one *page, answer *journal.Answer) ([]byte, error) {
	shown := *answer.Answer
	shown.Document = nil
	if form := gen.Format(r.cmd.Format[0]); form != gen.Text && form != gen.JSON {
		content, err := r.rendered(ctx, one, answer, form)
		if err != nil {
			return nil, err
		}
		if form == gen.Pdf {
			content = base64.StdEncoding.EncodeToString([]byte(content))
		}
		shown.Document = &content
	}
	if answer.Master != answer.Sent {
		mapAnswer(&shown, answer.Master, answer.Sent)
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // the output is not for web pages
	err := encoder.Encode(struct {
		Image string `json:"image"`
		*gen.Extraction
	}{one.Source, &shown})
	return line.Bytes(), err
}

// imageName returns the name of an image as documents give it: without folder or address.
func imageName(source string) string {
	if name := format.ImageName(source); strings.Contains(source, "://") {
		return name
	}
	return filepath.Base(source)
}

// documentOf returns the document of an answer, with boxes in pixels of the master.
func documentOf(answer *journal.Answer) (*document.Document, error) {
	if answer.Answer.Document == nil {
		return nil, errors.New("the answer has no document")
	}
	doc, err := pagefile.ReadDocument([]byte(*answer.Answer.Document))
	if err != nil {
		return nil, fmt.Errorf("the document from the service cannot be read: %w", err)
	}
	mapped := *answer.Answer
	if answer.Master != answer.Sent {
		mapAnswer(&mapped, answer.Master, answer.Sent)
		for i := range doc.Pages {
			mapPage(&doc.Pages[i], answer.Master, answer.Sent)
		}
	}
	doc.Confidence, doc.Enhanced = mapped.Confidence, mapped.Enhanced != nil && *mapped.Enhanced
	doc.Edits = contract.Edits(&mapped)
	return doc, nil
}
