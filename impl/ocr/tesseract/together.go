package tesseract

/*
#include "binding.h"
#include "part.h"
*/
import "C"

import (
	"cmp"
	"context"
	"sync"
)

// RecognizeTogether reads an image with several engines, each on its own thread, which share its lines. All engines must have
// the same single model, image, mode and variables. The lines and blocks are the same as if one engine had read the whole
// image. If ctx ends, it returns the lines that were read so far, with ctx's error. Other errors are those of Recognize. If the
// version of Tesseract is not known, the first engine reads everything.
func RecognizeTogether(ctx context.Context, engines []*Engine) ([]Block, error) {
	if len(engines) == 1 || !bool(C.uncial_can_divide()) {
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
	err := cmp.Or(errs...) // if ctx ended, all errors are the same
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	all, isCertain := joined(engines, parts)
	if !isCertain && err == nil {
		return RecognizeTogether(ctx, engines[:1])
	}
	return all, err
}

// joined joins the results of the engines. A block that two engines share becomes one again. isCertain is false if the text of
// a whole block is empty, because then the positions of the other blocks are unknown.
func joined(engines []*Engine, parts []C.struct_uncial_part) (all []Block, isCertain bool) {
	isCertain = true
	last := C.int(-1) // position of the block that all ends with
	for i, e := range engines {
		blocks := e.Blocks()
		isCertain = isCertain && len(blocks) == int(parts[i].blocks)
		if len(blocks) == 0 {
			continue
		}
		if parts[i].first == last {
			shared := &all[len(all)-1]
			shared.Box = shared.Box.Union(blocks[0].Box)
			shared.Lines = append(shared.Lines, blocks[0].Lines...)
			blocks = blocks[1:]
		}
		all, last = append(all, blocks...), parts[i].last
	}
	return all, isCertain
}
