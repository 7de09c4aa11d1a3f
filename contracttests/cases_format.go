package contracttests

import (
	"context"
	"strings"

	"uncial/contracttests/internal/written"
)

var formatNames = map[string]string{
	"hocr": "hOCR 1.2", "alto": "ALTO 4.4", "page": "PAGE-XML 2019-07-15", "tsv": "Tesseract's TSV",
}

func formatCases() (cases []Case) {
	for _, format := range written.Formats {
		cases = append(cases, Case{
			Name: "extract/200/format-" + format, Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK)}, Extractions: 3, Points: 30,
			Explanation: "The document is " + formatNames[format] + " by its own rules, and its pages, boxes and words are those of the text and of the other formats.",
			Check: do(func(ctx context.Context, s *session) error {
				return s.extracts(ctx, job{image: ImagePrinted, format: format}, job{image: ImageOther, format: format}, job{image: ImageBlank, format: format})
			}),
		})
	}
	all := func(scenario string) []job {
		jobs := []job{{image: scenario}, {image: scenario, format: "text"}}
		for _, format := range written.Formats {
			jobs = append(jobs, job{image: scenario, format: format})
		}
		return jobs
	}
	return append(cases, Case{
		Name: "extract/200/same-in-all-formats", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK)}, Extractions: 6, Points: 60,
		Explanation: "The format changes nothing but the document: text, language and confidence stay the same.",
		Check:       do(func(ctx context.Context, s *session) error { return s.extracts(ctx, all(ImageOther)...) }),
	}, Case{
		Name: "extract/200/several-pages", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK), needImage(ImagePages)}, Extractions: 8, Points: 80,
		Explanation: "The texts of several pages are joined by a form feed, each document has all pages, and edits are told on their own.",
		Check:       do(severalPages(append(all(ImagePages), job{image: ImagePages, enhance: &yes}, job{image: ImagePages, enhance: &yes, format: "alto"}))),
	}, Case{
		Name: "extract/200/formats-enhanced", Operation: "extract", Status: 200, Needs: []string{needKey(KeyOK), NeedEnhancement, needImage(ImageEnhance)}, Extractions: 6, Points: 60,
		Explanation: "The edits of an enhanced reading are what sets it apart from the plain one, word by word, and its documents have the enhanced text.",
		Check: do(func(ctx context.Context, s *session) error {
			jobs := []job{{image: ImageEnhance, format: "tsv"}, {image: ImageEnhance, enhance: &yes}}
			for _, format := range written.Formats {
				jobs = append(jobs, job{image: ImageEnhance, enhance: &yes, format: format})
			}
			return s.extracts(ctx, jobs...)
		}),
	})
}

// extracts makes extractions one after the other; what each answer must be the judges say.
func (s *session) extracts(ctx context.Context, jobs ...job) error {
	a, err := s.account(ctx, KeyOK, len(jobs), len(jobs))
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if _, err := s.extract(ctx, a, j); err != nil {
			return err
		}
	}
	return nil
}

func severalPages(jobs []job) body {
	return func(ctx context.Context, s *session) error {
		a, err := s.account(ctx, KeyOK, len(jobs), len(jobs))
		if err != nil {
			return err
		}
		for _, j := range jobs {
			x, err := s.extract(ctx, a, j)
			if err != nil {
				return err
			}
			if text, _ := x.JSON["text"].(string); !strings.Contains(text, "\f") {
				return fail(x, "the file has several pages, but the text has no form feed")
			}
		}
		return nil
	}
}
