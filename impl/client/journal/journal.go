// Package journal remembers in an output folder which pages were sent, read or failed, so that a run that was interrupted at
// any moment can go on without charging a page twice. It keeps the answers too. It sends nothing and knows nothing about
// images.
//
// The folder .uncial-extract of the output folder has journal.jsonl, one event per line: events are only appended, and reach
// the disk before anything depends on them; answers/, one file for each page that was read; tmp/, emptied by every run; and
// lock, which keeps a second run out. Start with Open.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"uncial/impl/client/durable"
	"uncial/impl/volume"
)

// Folder is the name of the journal's folder in the output folder.
const Folder = ".uncial-extract"

// logName is the file of the events.
const logName = Folder + "/journal.jsonl"

// version is the version of the journal's format. A change that older programs would misread increases it.
const version = 1

// maxLine bounds a line of the journal, in bytes. The longest have a source, a reason and some names.
const maxLine = 1 << 20

// maxReason bounds a reason in characters: it may repeat what a foreign server answered.
const maxReason = 1000

// ErrLocked means that another run writes to the same folder.
var ErrLocked = errors.New("another run is writing to this folder")

// ErrUnreadable means that the journal itself is damaged, or of a later version.
var ErrUnreadable = errors.New("cannot read the journal")

// Kind is what happened.
type Kind string

// The kinds of events.
const (
	start  Kind = "start"  // a run began; the first event of a journal
	Name   Kind = "name"   // the page at Locator has files called Name
	Sent   Kind = "sent"   // the page is about to be sent with the key of Generation
	Done   Kind = "read"   // its answer is stored
	Failed Kind = "failed" // it was not read, and certainly not charged
	Absent Kind = "absent" // it has no image, and was not charged
	Files  Kind = "files"  // its files of these formats are written
	// Write says that File is about to be written, so that a later run knows it as its own. Without File it says that, from here
	// on, the journal has such an event for each file.
	Write Kind = "write"
)

// Event is one line of the journal.
type Event struct {
	Time    time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Version int       `json:"version,omitempty"` // of the journal; only with the first event
	Page    string    `json:"page,omitempty"`    // see PageID
	// Locator says where the page is, without regard to its content; only with Name.
	Locator string `json:"locator,omitempty"`
	Name    string `json:"name,omitempty"`
	// Source is for people who read the journal.
	Source     string   `json:"source,omitempty"`
	Generation int      `json:"generation,omitempty"`
	IsEmpty    bool     `json:"empty,omitempty"` // with Done: no text was found
	Points     int64    `json:"points,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Formats    []string `json:"formats,omitempty"`
	File       string   `json:"file,omitempty"` // its name in the output folder; only with Write
}

// Page is the state of a page in the journal.
type Page struct {
	// State is Waiting for a page that was never sent or whose answer is missing.
	State  volume.State
	Reason string
	// Generation identifies the reading of the page: --force begins one with a random number.
	Generation int
	// SentAt is when the page was first sent without a known outcome. Zero if every outcome is known.
	SentAt time.Time
	// Formats of its files, in the state of its answer.
	Formats []string
	// Earlier is the state of the stored answer while a later reading, which --force began, has none. "" if there is no such
	// answer.
	Earlier volume.State
}

// Journal is an open journal. It is safe for concurrent use.
type Journal struct {
	dir  string // the output folder
	lock *os.File

	mu     sync.Mutex
	file   *os.File
	pages  map[string]*Page
	names  map[string]string // by locator
	owners map[string]string // by name: the page whose files have it
	named  map[string]string // by page: the name that its files had last
	files  map[string]bool   // those of Write, by name; "" for an event without File
}

// Open opens the journal of an output folder, or begins one. It removes the remains of a crash: temporary files, and the last
// line if it is incomplete. Errors: ErrLocked, ErrUnreadable, or those of the file system.
func Open(dir string) (*Journal, error) {
	j := &Journal{dir: dir, pages: map[string]*Page{}, names: map[string]string{}, owners: map[string]string{}, named: map[string]string{}, files: map[string]bool{}}
	if err := os.MkdirAll(j.path("answers"), 0o777); err != nil { //nolint:gosec // the umask decides
		return nil, err
	}
	var err error
	if j.lock, err = os.OpenFile(j.path("lock"), os.O_RDWR|os.O_CREATE, 0o666); err != nil { //nolint:gosec // the umask decides
		return nil, err
	}
	if err := unix.Flock(int(j.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = j.lock.Close()
		return nil, ErrLocked
	}
	if err := j.load(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// load empties the folder for temporary files, and reads the events.
func (j *Journal) load() (err error) {
	if err := os.RemoveAll(j.Temporary()); err != nil {
		return err
	}
	if err := os.Mkdir(j.Temporary(), 0o700); err != nil {
		return err
	}
	if j.file, err = os.OpenFile(filepath.Join(j.dir, logName), os.O_RDWR|os.O_CREATE, 0o666); err != nil { //nolint:gosec // the umask decides
		return err
	}
	whole, err := j.replay()
	if err != nil {
		return err
	}
	// A crash may have cut the last line short.
	if err := j.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := j.file.Seek(whole, io.SeekStart); err != nil {
		return err
	}
	if err := durable.SyncFolder(filepath.Join(j.dir, Folder)); err != nil {
		return err
	}
	return j.Append(Event{Kind: start, Version: version})
}

// replay applies all events, and returns the length of the complete lines in bytes.
func (j *Journal) replay() (whole int64, err error) {
	lines := bufio.NewReaderSize(j.file, maxLine)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%w: %s, line %d: %w", ErrUnreadable, logName, number, durable.WithoutPath(err))
		}
		var event Event
		if json.Unmarshal(bytes.TrimSpace(line), &event) != nil {
			return 0, fmt.Errorf("%w: %s, line %d is not an event; restore the file, or remove it; pages with stored answers still count as read", ErrUnreadable, logName, number)
		}
		if event.Version > version {
			return 0, fmt.Errorf("%w: it was written by a later version of this program; use that one, or another folder", ErrUnreadable)
		}
		j.apply(event)
		whole += int64(len(line))
	}
}

// apply applies one event to the state in memory, read from the file or just written. A page that was read before keeps that
// state if a later attempt fails.
func (j *Journal) apply(e Event) {
	page := j.pages[e.Page]
	if page == nil {
		page = &Page{State: volume.Waiting}
		if e.Page != "" {
			j.pages[e.Page] = page
		}
	}
	switch e.Kind {
	case Name:
		j.names[e.Locator] = e.Name
	case Sent:
		if page.SentAt.IsZero() || e.Generation != page.Generation {
			page.SentAt = e.Time
		}
		if page.State.IsRead() {
			page.Earlier = page.State
		}
		page.Generation, page.State, page.Reason = e.Generation, volume.Waiting, ""
	case Done:
		page.SentAt, page.State, page.Earlier, page.Reason, page.Formats = time.Time{}, volume.Read, "", "", nil
		if e.IsEmpty {
			page.State = volume.Empty
		}
	case Failed, Absent:
		page.SentAt, page.State, page.Reason = time.Time{}, volume.Failed, e.Reason
		if e.Kind == Absent {
			page.State = volume.Absent
		}
		if page.Earlier.IsRead() { // its answer and files are still valid
			page.State, page.Earlier, page.Reason = page.Earlier, "", ""
		}
	case Files:
		if owner := j.pages[j.owners[e.Name]]; owner != nil && owner != page {
			owner.Formats = nil // its files were overwritten by those of another page
		}
		j.owners[e.Name], j.named[e.Page] = e.Page, e.Name
		page.Formats = append(page.Formats, e.Formats...)
	case Write:
		j.files[e.File] = true
	case start:
	}
}

// Append adds events, which are on the disk when Append returns nil. It sets their time, and cuts a long reason. An event that
// is longer than maxLine is an error, because load could not read it again.
func (j *Journal) Append(events ...Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now().UTC().Truncate(time.Millisecond)
	var lines []byte
	for i := range events {
		events[i].Time = now
		if reason := []rune(events[i].Reason); len(reason) > maxReason {
			events[i].Reason = string(reason[:maxReason]) + "..."
		}
		line, err := json.Marshal(events[i])
		if err != nil {
			return err
		}
		if len(line) >= maxLine {
			return fmt.Errorf("an event is longer than %d bytes", maxLine)
		}
		lines = append(append(lines, line...), '\n')
	}
	at, err := j.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(lines); err != nil {
		_ = j.file.Truncate(at) // a half line would make the next one unreadable
		_, _ = j.file.Seek(at, io.SeekStart)
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	for _, e := range events {
		j.apply(e)
	}
	return nil
}

// Page returns the state of a page: waiting, if the journal has no event about it.
func (j *Journal) Page(id string) Page {
	j.mu.Lock()
	defer j.mu.Unlock()
	if page := j.pages[id]; page != nil {
		return *page
	}
	return Page{State: volume.Waiting}
}

// Names returns the names of pages by their locators, as earlier runs gave them.
func (j *Journal) Names() map[string]string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.names)
}

// NameOf returns the name that the files of a page have, "" if it has none.
func (j *Journal) NameOf(id string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if name := j.named[id]; j.owners[name] == id {
		return name
	}
	return ""
}

// IsOwn reports whether a run wrote the file of that name in the output folder, or was about to.
func (j *Journal) IsOwn(file string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return file != "" && j.files[file]
}

// ListsFiles reports whether the journal lists all files that runs wrote. The journal of an earlier version does not, nor does
// one that was lost and begun anew.
func (j *Journal) ListsFiles() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.files[""]
}

// Temporary is a folder on the file system of the output folder, which the next run empties.
func (j *Journal) Temporary() string { return j.path("tmp") }

// Close ends the run, so that another one can begin.
func (j *Journal) Close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	// A program that is being started may have a copy of the file until it runs, and would hold the lock.
	unlocked := unix.Flock(int(j.lock.Fd()), unix.LOCK_UN)
	return errors.Join(err, unlocked, j.lock.Close())
}

func (j *Journal) path(name string) string { return filepath.Join(j.dir, Folder, name) }
