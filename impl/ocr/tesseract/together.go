package tesseract

/*
#include "binding.h"
#include "part.h"
*/
import "C"

import (
	"context"
	"errors"
	"sync"
)

// RecognizeTogether reads an image whose lines several engines share, each on a thread of its own. All must have the same model, which is a
// single one, and the same image, mode and variables. The result is that of one engine that reads the whole image. If ctx ends
// meanwhile, the lines that were read until then are returned with ctx's error. Other errors are those of Recognize.
func RecognizeTogether(ctx context.Context, engines []*Engine) ([]Block, error) {
	if len(engines) == 1 {
		err := engines[0].Recognize(ctx)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		return engines[0].Blocks(), err
	}
	parts, errs := make([]C.struct_uncial_part, len(engines)), make([]error, len(engines))
	read := func(i int) {
		parts[i].part, parts[i].parts = C.int(i), C.int(len(engines))
		errs[i] = engines[i].recognize(ctx, &parts[i])
	}
	var group sync.WaitGroup
	for i := 1; i < len(engines); i++ {
		group.Go(func() { read(i) })
	}
	read(0)
	group.Wait()
	err := errors.Join(errs...)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if !parts[0].divided {
		return engines[0].Blocks(), err
	}
	all, sure := joined(engines, parts)
	if !sure && err == nil {
		return RecognizeTogether(ctx, engines[:1])
	}
	return all, err
}

// joined appends what the engines have read. A block that two of them share becomes one again. It is not sure which these are if the text of
// a whole block turned out to be empty.
func joined(engines []*Engine, parts []C.struct_uncial_part) (all []Block, sure bool) {
	sure = true
	last := C.int(-1) // position of the block that all ends with
	for i, e := range engines {
		blocks := e.Blocks()
		sure = sure && len(blocks) == int(parts[i].blocks)
		if len(blocks) == 0 {
			continue
		}
		if parts[i].first == last {
			shared := &all[len(all)-1]
			shared.Box = shared.Box.Union(blocks[0].Box)
			shared.Paragraphs = append(shared.Paragraphs, blocks[0].Paragraphs...)
			blocks = blocks[1:]
		}
		all, last = append(all, blocks...), parts[i].last
	}
	return all, sure
}
