package mock

import (
	"context"
	"strconv"
	"time"
	"unicode/utf8"

	"uncial/gen"
	"uncial/internal/contract"
	"uncial/internal/edge"
	"uncial/internal/format"
	"uncial/internal/tryit"
	"uncial/mock/folder"
)

// extraction is a valid request and the effects of its scenarios. It does not change; anything that depends on the history of
// the key is in an outcome.
type extraction struct {
	effect
	contract.Request
	key      string
	page     pageKind
	own      *folder.Fixture // from the user's folder; nil if the text comes from the built-in fixtures
	mockSeed uint64
}

// newExtraction checks the language and the Prefer header, and reports everything that is wrong in one error.
func (s *server) newExtraction(ctx context.Context, r gen.ExtractRequestObject) (*extraction, error) {
	x, details := exchangeFrom(ctx), map[string]string{}
	prefer, err := parsePrefer(x.prefer, extractCodes)
	if err != nil {
		details["Prefer"] = err.Error()
	}
	request, err := contract.NewRequest(r.Body, supported())
	if err != nil {
		details["language"] = err.Error()
	}
	if len(details) > 0 {
		return nil, contract.Invalid(details)
	}
	e := &extraction{Request: request, key: edge.CallerFrom(ctx).Token, mockSeed: s.seed}
	image := findImage(ctx, request.ImageURL)
	e.page = image.page
	if _, isScenario := onImageHost(request.ImageURL); !isScenario {
		e.own = s.ownFixture(ctx, request)
	}
	if e.own != nil && e.own.IsExact() && image.fetch == contract.FetchRefusedAddress {
		image = imageScenario{} // a service with --fetch-allow answers as well; patterns must not open other addresses
	}
	prefer.seeded = prefer.seeded && e.own == nil // the seed chooses among the built-in texts
	e.effect = combine(s.state.scenario(e.key), image, prefer, s.latency.at(s.seed, e.key, x.number))
	return e, nil
}

// answer is a pure function of the extraction and its outcome: a replay calls it with the stored outcome and gets the same
// bytes, whatever has happened to the key since.
func (e *extraction) answer(ctx context.Context, o outcome) (gen.ExtractResponseObject, error) {
	r, err := e.reading(o)
	if err != nil {
		return nil, err
	}
	tryit.Keep(ctx, tryit.Reading{Request: e.Request, Document: r.doc, IsFixture: true, Read: o.at})
	if e.own != nil && !o.minimal {
		if a := e.own.Recorded(e.Format, e.Enhance); a != nil {
			return recordedAnswer(a.Body(o.remaining)), nil
		}
	}
	result := r.result
	if e.Format != gen.JSON && e.Format != gen.Text {
		written, err := contract.NewResult(e.Request, r.doc, format.Meta{Created: o.at, Version: mockVersion})
		if err != nil {
			return nil, err
		}
		result.Document = written.Document
	}
	took := processingTime(result.Text) + o.delay.Milliseconds()
	result.RemainingPoints, result.ProcessingTime = &o.remaining, &took
	if o.minimal { // the fields that openapi.yaml requires, and what the caller asked for
		result = gen.ExtractionResult{
			Success: result.Success, Text: result.Text, Confidence: result.Confidence, PointsUsed: result.PointsUsed, Document: result.Document,
		}
	}
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}, nil
}

// reading returns the fixture that the image is read as: one of the user's folder, or a built-in one.
func (e *extraction) reading(o outcome) (*reading, error) {
	if e.own != nil {
		return e.ownReading()
	}
	return choice{
		image: e.ImageURL, language: e.page.languageOf(e.ImageURL, e.Language), pageKind: e.page,
		seed: strconv.FormatUint(e.mockSeed, 10) + "/" + strconv.FormatUint(o.seed, 10),
	}.read(e.Enhance), nil
}

// processingTime is a plausible time for reading the text, in milliseconds, at most the minute that the service takes. It must
// not be measured: answers are the same bytes on every machine.
func processingTime(text string) int64 {
	return min(120+4*int64(utf8.RuneCountInString(text)), time.Minute.Milliseconds())
}
