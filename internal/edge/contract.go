package edge

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/gen"
)

// contract is the embedded document, prepared once for all doors of the process.
type contract struct {
	doc             *openapi3.T
	extract, status *operation
}

// operation is what the contract asks of the requests of one operation.
type operation struct {
	params openapi3.Parameters
	body   *openapi3.Schema // nil where there is none
	images []string         // the properties of the body that are URLs of images
}

const imageFormat = "uri"

var loadContract = sync.OnceValues(func() (*contract, error) {
	doc, err := gen.GetSpec()
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	c := &contract{doc: doc}
	if c.extract, err = findOperation(doc, http.MethodPost, "/extract"); err != nil {
		return nil, err
	}
	c.status, err = findOperation(doc, http.MethodGet, "/status")
	return c, err
})

func findOperation(doc *openapi3.T, method, path string) (*operation, error) {
	item := doc.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		return nil, fmt.Errorf("the document has no %s %s", method, path)
	}
	op := item.GetOperation(method)
	o := &operation{params: op.Parameters}
	if op.RequestBody != nil {
		o.body = op.RequestBody.Value.Content.Get("application/json").Schema.Value
		for name, property := range o.body.Properties {
			if property.Value.Format == imageFormat {
				o.images = append(o.images, name)
			}
		}
	}
	return o, nil
}

// extractParams is the parameters of a checked request.
func extractParams(h http.Header) gen.ExtractParams {
	var p gen.ExtractParams
	if keys := h.Values("Idempotency-Key"); len(keys) == 1 {
		p.IdempotencyKey = &keys[0]
	}
	return p
}

// extractionRequest is the body of a checked request. It is written by hand because decoding a second time would copy
// and scan an inline image of 27 MB again.
func extractionRequest(body map[string]any) *gen.ExtractionRequest {
	var req gen.ExtractionRequest
	req.ImageURL, _ = body["imageUrl"].(string)
	if language, ok := body["language"].(string); ok {
		req.Language = &language
	}
	if enhance, ok := body["enhance"].(bool); ok {
		req.Enhance = &enhance
	}
	if format, ok := body["format"].(string); ok {
		req.Format = (*gen.Format)(&format)
	}
	return &req
}
