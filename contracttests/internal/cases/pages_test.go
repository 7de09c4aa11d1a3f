package cases

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/contracttests/internal/model"
)

// ownMock can be controlled.
type ownMock struct{ model.Control }

func TestReadsSpecialCharacters(t *testing.T) {
	t.Parallel()
	const promised = "\"Tom & Jerry\" <a> e\u0301 \U0001D504"
	for name, c := range map[string]struct {
		target model.Target
		text   string
		isGood bool
	}{
		"another mock needs what the contract promises":  {model.Target{Simulated: true}, promised, true},
		"another mock may not leave out combining marks": {model.Target{Simulated: true}, "\"Tom & Jerry\" <a> \U0001D504", false},
		"another mock may not leave out markup":          {model.Target{Simulated: true}, "\"Tom & Jerry\" a> e\u0301 \U0001D504", false},
		"our mock has more signs":                        {model.Target{Simulated: true, Control: ownMock{}}, promised, false},
		"our mock has all of them":                       {model.Target{Simulated: true, Control: ownMock{}}, promised + fixedSigns, true},
		"a service reads its own image":                  {model.Target{}, "words", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &model.Exchange{JSON: map[string]any{"text": c.text}, Request: &model.Request{Job: &model.Job{}}, Target: c.target}
			err := readsSpecialCharacters(t.Context(), nil, []*model.Exchange{x})
			assert.Equal(t, c.isGood, err == nil, err)
		})
	}
}
