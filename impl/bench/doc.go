// Package bench holds what `make bench` measures: the goals of speed, processor time and memory, each compared with a reference in the
// same run. Its tests are behind the build tag "bench". Benchmarks of single packages are next to their code. Start with
// TestBench.
package bench
