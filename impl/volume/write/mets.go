package write

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"uncial/gen"
	"uncial/impl/volume"
	"uncial/internal/format"
	"uncial/internal/version"
)

// metsFile is a METS document (version 1.12). Its fields are in the order that the schema requires.
type metsFile struct {
	XMLName xml.Name    `xml:"mets:mets"`
	METS    string      `xml:"xmlns:mets,attr"`
	XLink   string      `xml:"xmlns:xlink,attr"`
	Label   string      `xml:"LABEL,attr"`
	Header  metsHeader  `xml:"mets:metsHdr"`
	Groups  []metsGroup `xml:"mets:fileSec>mets:fileGrp"`
	Map     metsMap     `xml:"mets:structMap"`
}

// metsHeader says when and by which program the file was made (METS 1.12, metsHdr).
type metsHeader struct {
	Created string    `xml:"CREATEDATE,attr"`
	Agent   metsAgent `xml:"mets:agent"`
}

type metsAgent struct {
	Role  string `xml:"ROLE,attr"`
	Type  string `xml:"TYPE,attr"`
	Other string `xml:"OTHERTYPE,attr"`
	Name  string `xml:"mets:name"`
}

// metsGroup holds the files of one use: the images, or one format of text.
type metsGroup struct {
	Use   string         `xml:"USE,attr"`
	Files []metsFileInfo `xml:"mets:file"`
}

// metsFileInfo names a file. Sequence is the number of its page, from 1.
type metsFileInfo struct {
	ID       string       `xml:"ID,attr"`
	Media    string       `xml:"MIMETYPE,attr,omitempty"`
	Sequence int          `xml:"SEQ,attr"`
	Location metsLocation `xml:"mets:FLocat"`
}

// metsLocation is a URL, or a path relative to the METS file.
type metsLocation struct {
	Kind string `xml:"LOCTYPE,attr"`
	Type string `xml:"xlink:type,attr"`
	Href string `xml:"xlink:href,attr"`
}

// metsMap is the structure of the volume. Its type is PHYSICAL: pages in their order, without chapters.
type metsMap struct {
	Type string  `xml:"TYPE,attr"`
	Root metsDiv `xml:"mets:div"`
}

// metsDiv is a part of the volume: the volume itself, or a page with pointers to its files.
type metsDiv struct {
	ID         string        `xml:"ID,attr,omitempty"`
	Type       string        `xml:"TYPE,attr"`
	Order      int           `xml:"ORDER,attr,omitempty"`
	OrderLabel string        `xml:"ORDERLABEL,attr,omitempty"`
	Label      string        `xml:"LABEL,attr,omitempty"`
	Files      []metsPointer `xml:"mets:fptr"`
	Parts      []metsDiv     `xml:"mets:div"`
}

// metsPointer refers to a file by its ID.
type metsPointer struct {
	File string `xml:"FILEID,attr"`
}

// mediaTypes are the media types of the files of text that METS refers to.
var mediaTypes = map[gen.Format]string{gen.Alto: "application/alto+xml", gen.Page: "application/vnd.prima.page+xml"}

// writeMETS returns a writer of METS: the physical structure of the volume, with each page's file in the format form, and its
// image if that is on the web. A page that is not read has no file of text; its label says why.
func writeMETS(form gen.Format) func(context.Context, *volume.Volume, volume.Save) error {
	return func(_ context.Context, v *volume.Volume, save volume.Save) error {
		_, created, err := describe(v)
		if err != nil {
			return err
		}
		mets := newMETS(v, form, created)
		return save("volume."+string(form)+".mets.xml", func(to io.Writer) error {
			if _, err := io.WriteString(to, xml.Header); err != nil {
				return err
			}
			e := xml.NewEncoder(to)
			e.Indent("", "  ")
			if err := e.Encode(mets); err != nil {
				return err
			}
			_, err := io.WriteString(to, "\n")
			return err
		})
	}
}

// newMETS returns the METS document, which lists every page of the volume in order.
func newMETS(v *volume.Volume, form gen.Format, created time.Time) *metsFile {
	images, texts := metsGroup{Use: "IMAGE"}, metsGroup{Use: "FULLTEXT"}
	root := metsDiv{Type: "physSequence", Label: v.Title}
	for _, page := range v.Pages {
		div := metsDiv{ID: fmt.Sprintf("page_%d", page.Position), Type: "page", Order: page.Position, OrderLabel: page.Label}
		add := func(group *metsGroup, kind, media, href string) {
			file := metsFileInfo{ID: fmt.Sprintf("%s_%d", kind, page.Position), Media: media, Sequence: page.Position, Location: metsLocation{"URL", "simple", href}}
			group.Files = append(group.Files, file)
			div.Files = append(div.Files, metsPointer{file.ID})
		}
		if strings.HasPrefix(page.Source, "https://") || strings.HasPrefix(page.Source, "http://") {
			add(&images, "image", "", page.Source)
		}
		if name := page.Files[form]; page.State.IsRead() && name != "" {
			add(&texts, "text", mediaTypes[form], (&url.URL{Path: name}).String())
		} else {
			div.Label = strings.TrimSuffix("not read: "+page.Reason, ": ")
		}
		root.Parts = append(root.Parts, div)
	}
	mets := &metsFile{
		METS: "http://www.loc.gov/METS/", XLink: "http://www.w3.org/1999/xlink", Label: v.Title,
		Header: metsHeader{created.UTC().Format("2006-01-02T15:04:05Z"), metsAgent{"CREATOR", "OTHER", "SOFTWARE", strings.TrimSpace(format.Software() + " " + version.Version)}},
		Map:    metsMap{"PHYSICAL", root},
	}
	for _, group := range []metsGroup{images, texts} {
		if len(group.Files) > 0 { // the schema allows no empty group
			mets.Groups = append(mets.Groups, group)
		}
	}
	return mets
}
