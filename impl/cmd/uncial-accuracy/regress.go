package main

import (
	"math"

	"uncial/impl/ocr/correct"
)

// sample is one observation of a logistic regression.
type sample struct {
	group  int // samples of one group are left out together
	values []float64
	share  float64 // what is to be predicted, 0..1
	weight float64
}

// maxSteps bounds the steps of the regression.
const maxSteps = 30

// regress fits a logistic regression to the samples of all groups but one (Newton's method); -1 leaves out none. ridge pulls
// weights towards 0, as much as samples of that weight would.
func regress(all []sample, without int, ridge float64) []float64 {
	n := len(all[0].values)
	weights := make([]float64, n)
	for range maxSteps {
		gradient, hessian := make([]float64, n), make([][]float64, n)
		for a := range hessian {
			hessian[a] = make([]float64, n)
		}
		for i := range all {
			s := &all[i]
			if s.group == without {
				continue
			}
			p := correct.Probability(weights, s.values)
			for a, x := range s.values {
				gradient[a] += s.weight * (s.share - p) * x
				for b, y := range s.values {
					hessian[a][b] += s.weight * p * (1 - p) * x * y
				}
			}
		}
		for a := range weights {
			hessian[a][a] += ridge
			gradient[a] -= ridge * weights[a]
		}
		largest := 0.0
		for a, step := range solve(hessian, gradient) {
			weights[a] += step
			largest = max(largest, math.Abs(step))
		}
		if largest < 1e-6 {
			break
		}
	}
	return weights
}

// solve solves a system of linear equations whose matrix is positive definite (Gauss-Jordan). It changes both.
func solve(m [][]float64, y []float64) []float64 {
	for i := range m {
		pivot := m[i][i]
		for c := range m[i] {
			m[i][c] /= pivot
		}
		y[i] /= pivot
		for r := range m {
			factor := m[r][i]
			if r == i || factor == 0 {
				continue
			}
			for c := range m[r] {
				m[r][c] -= factor * m[i][c]
			}
			y[r] -= factor * y[i]
		}
	}
	return y
}
