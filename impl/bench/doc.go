// Package bench measures, in `make bench`, whether the service meets its goals for speed, processor time and memory, each
// against a reference in the same run. Its tests need the build tag "bench". Benchmarks of individual packages are next to
// their code. Start with TestBench.
package bench
