package app

import (
	"fmt"

	"uncial/impl/proofread"
)

// newLanguageModel returns a client for the language model. It checks the options without connecting, so that the service
// starts even if the model is down. Errors name the flags.
func newLanguageModel(o EnhanceOptions) (*proofread.Model, error) {
	if o.Provider != "openai" {
		return nil, fmt.Errorf("--enhance-provider: unknown provider %q; choose openai, for any API compatible with OpenAI's", o.Provider)
	}
	m, err := proofread.New(proofread.Config{URL: o.URL, Model: o.Model, Key: o.Key})
	if err != nil {
		return nil, fmt.Errorf("--enhance-url, --enhance-model: %w", err)
	}
	return m, nil
}
