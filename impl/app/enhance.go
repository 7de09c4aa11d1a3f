package app

import (
	"fmt"

	"uncial/impl/proofread"
)

// newLanguageModel checks the options; it makes no connection. Errors name the flags.
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
