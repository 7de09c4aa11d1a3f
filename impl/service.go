// Package impl is the real service: it answers the two operations of the contract, charges points, and decides who may
// call. The packages below it do the work: ledger keeps the points, account the keys and plans, fetch downloads images,
// ocr reads them, proofread corrects the text with a language model, and app wires everything together.
//
// Start with Service.Extract, the whole use case; admit.go, points.go and refusal.go hold its steps. Authentication, the
// rate limit and the shape of a request are checked before it, by internal/edge and Gate.
package impl

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"uncial/gen"
	"uncial/impl/fetch"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/tracing"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
	"uncial/internal/fair"
	"uncial/internal/request"
	"uncial/internal/tryit"
)

// Service implements the contract. Fields without a default are required; they must not change after the first call.
type Service struct {
	Ledger *ledger.Ledger
	// Fetch returns the bytes of the image file at a URL. Errors: those of fetch.Fetcher.Fetch.
	Fetch      func(ctx context.Context, imageURL string) ([]byte, error)
	Recognizer ocr.Recognizer
	// Fetching and Reading bound the images that are being fetched, and those that wait for a worker or are being read. They are
	// separate, so that workers never wait for slow image servers. Default: nil, no bound.
	Fetching, Reading *fair.Semaphore
	// Proofread corrects the document of a request with "enhance" in place. If it fails it must leave the document
	// unchanged. Default: nil, so only the recognizer's own corrections apply.
	Proofread func(ctx context.Context, image []byte, doc *document.Document) error
	HoldTTL   time.Duration // lifetime of a hold that is no longer extended, for example because its process died
	Deadline  time.Duration // of one extraction
	Now       func() time.Time
	Logger    *slog.Logger
	// Observer is told what happens, for metrics. Default: nil.
	Observer Observer
}

// Observer counts what happens in extractions. Its methods are called concurrently and must return at once.
type Observer interface {
	Held(n int)                                                   // the number of holds of this process has changed by n
	Charged(points int64)                                         // points were charged
	Fetched(err error, took time.Duration)                        // an image was fetched, or could not be; inline images do not count
	Proofread(ctx context.Context, err error, took time.Duration) // the language model answered, or failed
}

var _ gen.StrictServerInterface = (*Service)(nil)

// Extract admits the request, reserves a place for it, holds the points, fetches the image, recognizes it, proofreads the text
// and settles the hold. Any failure after the hold releases the points: only an answer with status 200 is charged.
func (s *Service) Extract(ctx context.Context, r gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
	started := s.Now()
	ctx, cancel := context.WithTimeout(ctx, s.Deadline)
	defer cancel()

	j, err := s.admit(ctx, r)
	if err != nil {
		return nil, refusal(err)
	}
	ctx, leave, err := s.enter(ctx, j)
	if err != nil {
		return nil, refusal(err)
	}
	defer leave()
	hold, reply, err := s.hold(ctx, j)
	if err != nil {
		return nil, refusal(err)
	}
	if reply != nil {
		return replay(ctx, reply)
	}
	s.observe(func(o Observer) { o.Held(1) })
	defer s.observe(func(o Observer) { o.Held(-1) })
	doc, err := s.readWhileHeld(ctx, hold, j)
	if err == nil {
		var result gen.ExtractionResult
		err = tracing.Do(ctx, "settle", func(ctx context.Context) (err error) {
			result, err = s.settle(ctx, hold, j, doc, started)
			return err
		})
		if err == nil {
			s.observe(func(o Observer) { o.Charged(contract.Price) })
			tryit.Keep(ctx, tryit.Reading{Request: j.Request, Document: doc, Read: started})
			return answer(result), nil
		}
	}
	s.release(ctx, hold)
	return nil, refusal(err)
}

// read fetches the image, recognizes it, and proofreads the text if the request asks for enhancement. A failure of the
// language model is logged, and the document is returned without its corrections.
func (s *Service) read(ctx context.Context, j admitted) (*document.Document, error) {
	image, err := s.fetch(ctx, j.ImageURL)
	if err != nil {
		return nil, err
	}
	ctx, leave, err := s.Reading.Wait(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var doc *document.Document
	err = tracing.Do(ctx, "recognize", func(ctx context.Context) (err error) {
		doc, err = s.Recognizer.Recognize(ctx, ocr.Request{
			Image: image, Language: j.Language, Enhance: j.Enhance, Preview: tryit.Wanted(ctx), Picture: j.Format == gen.Pdf,
		})
		return err
	})
	if err == nil && !fair.ReservationFrom(ctx).Grow(pdfCopies*pictureBytes(doc)) {
		err = fair.ErrFull
	}
	if err != nil || !j.Enhance || s.Proofread == nil {
		return doc, err
	}
	began := time.Now()
	err = tracing.Do(ctx, "proofread", func(ctx context.Context) error { return s.Proofread(ctx, image, doc) })
	s.observe(func(o Observer) { o.Proofread(ctx, err, time.Since(began)) })
	if err != nil {
		s.Logger.WarnContext(ctx, "language model failed; returning offline corrections", "error", err)
	}
	return doc, nil
}

// pdfCopies is how many more copies of a PDF's pictures are in memory until it is sent: in the file, in its
// base64 text, in the stored reply and in the answer.
const pdfCopies = 4

// pictureBytes returns the size of a document's pictures. It has them only for a PDF.
func pictureBytes(d *document.Document) (n int) {
	for i := range d.Pages {
		n += len(d.Pages[i].Picture)
	}
	return n
}

// observe calls f with the observer, if there is one.
func (s *Service) observe(f func(Observer)) {
	if s.Observer != nil {
		f(s.Observer)
	}
}

// fetch returns the bytes of the image file. It refuses anything but an image, so that other files do not wait for a worker.
// Errors: those of Fetch.
func (s *Service) fetch(ctx context.Context, imageURL string) (image []byte, err error) {
	if _, isInline := request.InlineImage(ctx, imageURL); isInline {
		return s.Fetch(ctx, imageURL) // the recognizer reports what is wrong with the image
	}
	began := time.Now()
	err = tracing.Do(ctx, "fetch", func(ctx context.Context) (err error) {
		if image, err = s.Fetch(ctx, imageURL); err != nil {
			return err
		}
		if _, err := imagefile.Identify(image); err != nil {
			return &fetch.Error{Reason: contract.FetchNotAnImage, Text: err.Error()}
		}
		return nil
	})
	s.observe(func(o Observer) { o.Fetched(err, time.Since(began)) })
	return image, err
}

// answer wraps a result as the response with status 200.
func answer(result gen.ExtractionResult) gen.ExtractResponseObject {
	return gen.Extract200JSONResponse{ExtractionJSONResponse: gen.ExtractionJSONResponse{Body: result}}
}

// replyCopies is how many copies of a stored reply are in memory until it is sent: its text, and the answer.
const replyCopies = 2

// replay answers with a stored reply.
func replay(ctx context.Context, reply []byte) (gen.ExtractResponseObject, error) {
	if !fair.ReservationFrom(ctx).Grow(replyCopies * len(reply)) {
		return nil, refusal(fair.ErrFull)
	}
	var result gen.ExtractionResult
	if err := json.Unmarshal(reply, &result); err != nil {
		return nil, contract.Internal(err)
	}
	return contract.Replayed{ExtractResponseObject: answer(result)}, nil
}
