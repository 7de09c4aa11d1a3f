package model_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"uncial/contracttests/internal/model"
)

func TestPagePNG_isSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	want := model.PagePNG(model.KnownText)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { assert.Equal(t, want, model.PagePNG(model.KnownText)) })
	}
	all.Wait()
}
