package mock

import (
	"context"
	"strconv"
	"unicode/utf8"

	"uncial/gen"
	"uncial/internal/document"
	"uncial/internal/edge"
	"uncial/internal/format"
	"uncial/internal/language"
)

// call is an extraction whose shape is good, and what its scenarios make of it.
type call struct {
	verdict
	key      string
	body     *gen.ExtractionRequest
	page     pageKind
	language string
	enhance  bool
	format   string
	seed     uint64 // of the mock
}

// read checks what of the shape the door leaves to servers, and decides what will be answered.
func (s *server) read(ctx context.Context, req gen.ExtractRequestObject) (*call, error) {
	v := visitFrom(ctx)
	c := &call{key: edge.CallerFrom(ctx).Token, body: req.Body, format: string(gen.JSON), seed: s.seed}
	prefer, unknown := parsePrefer(v.prefer, extractCodes)
	tag, unsupported := language.Match(value(req.Body.Language, language.Default), languages())
	if unknown != nil || unsupported != nil {
		return nil, invalid(map[string]error{"Prefer": unknown, "language": unsupported})
	}
	c.language = tag
	c.enhance = value(req.Body.Enhance, false)
	c.format = string(value(req.Body.Format, gen.JSON))
	image := findImage(ctx, req.Body.ImageURL)
	c.page = image.page
	c.verdict = decide(s.world.scenario(c.key), image, prefer, s.latency.at(s.seed, c.key, v.number))
	return c, nil
}

// invalid is a 400 that names the fields whose error is one.
func invalid(faults map[string]error) error {
	details := map[string]string{}
	for field, err := range faults {
		if err != nil {
			details[field] = err.Error()
		}
	}
	return edge.Invalid(details)
}

func value[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// digest is the same for requests that ask the same, defaults filled in: by it the Idempotency-Key knows a repeat.
func (c *call) digest() hash {
	return digest(c.body.ImageURL, c.language, strconv.FormatBool(c.enhance), c.format)
}

// answer makes the answer. It is a pure function of the call and a.
func (c *call) answer(a answered) (gen.ExtractResponseObject, error) {
	r := c.read(a.seed)
	result := gen.ExtractionResult{Success: true, Text: r.text, Confidence: r.doc.Confidence, PointsUsed: gen.N10}
	if a.minimal {
		return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}, nil
	}
	took := processingTime(result.Text) + a.delay.Milliseconds()
	result.Enhanced, result.Language, result.RemainingPoints, result.ProcessingTime = &c.enhance, &c.language, &a.remaining, &took
	if c.enhance {
		result.Edits = edits(r.doc)
	}
	if c.format != string(gen.JSON) && c.format != format.Text {
		text, err := format.Write(c.format, r.doc, format.Meta{Image: format.ImageName(c.body.ImageURL), Created: a.at})
		if err != nil {
			return nil, err
		}
		result.Document = &text
	}
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}, nil
}

// read is what the mock reads from the image.
func (c *call) read(seed uint64) *reading {
	return choice{
		image: c.body.ImageURL, language: c.language, pageKind: c.page,
		seed: strconv.FormatUint(c.seed, 10) + "/" + strconv.FormatUint(seed, 10),
	}.read(c.enhance)
}

// processingTime is what reading the text would take, in milliseconds.
func processingTime(text string) int64 { return 120 + 4*int64(utf8.RuneCountInString(text)) }

func edits(doc *document.Document) *[]gen.Edit {
	all := make([]gen.Edit, len(doc.Edits))
	for i, e := range doc.Edits {
		all[i] = gen.Edit{
			Page:   int64(e.Page) + 1,
			Box:    gen.Box{X: int64(e.Box.X), Y: int64(e.Box.Y), Width: int64(e.Box.W), Height: int64(e.Box.H)},
			Before: e.Before, After: e.After, Rule: e.Rule, Confidence: e.Confidence,
		}
	}
	return &all
}
