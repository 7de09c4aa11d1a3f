package app

import (
	"fmt"

	"uncial/impl/proofread"
)

// newLanguageModel checks the options; it connects to nothing.
func newLanguageModel(o EnhanceOptions) (*proofread.Model, error) {
	if o.Provider != "openai" {
		return nil, fmt.Errorf("--enhance-provider: %q is none; openai is, for every API like OpenAI's", o.Provider)
	}
	m, err := proofread.New(proofread.Config{URL: o.URL, Model: o.Model, Key: o.Key})
	if err != nil {
		return nil, fmt.Errorf("--enhance-url, --enhance-model: %w", err)
	}
	return m, nil
}
