#define _GNU_SOURCE
#include "binding.h"
#include "part.h"

#include <locale.h>
#include <malloc.h>
#include <omp.h>
#include <stdio.h>

static ssize_t discard(void *cookie, const char *text, size_t n) {
  (void)cookie;
  (void)text;
  return (ssize_t)n;
}

// Tesseract has a variable for writing to a file instead of standard error, but in a sandbox no file can be opened, not even
// /dev/null, and newer versions crash then. Therefore C's standard error becomes a stream that discards everything, which also
// silences the codecs. Messages of Go, and of glibc before it aborts, still appear, because both write to the descriptor.
void uncial_quiet(void) {
  cookie_io_functions_t nowhere = {.write = discard};
  FILE *silent = fopencookie(NULL, "w", nowhere);

  if (silent != NULL) stderr = silent;
  setMsgSeverity(L_SEVERITY_NONE);
  setlocale(LC_ALL, "C");
}

// OpenMP's default, a team of one thread per core, makes a page several times slower if there are as many processes as cores.
// The OpenMP runtime reads OMP_THREAD_LIMIT only while the program is loaded. This setting has the same effect, but applies
// only to the calling thread, so it must precede every call that may work in parallel.
static void one_thread(void) { omp_set_max_active_levels(0); }

// Tesseract calls this before each group of words.
static bool stopped(void *stop, int groups) {
  uncial_next_group(groups);
  return __atomic_load_n((int32_t *)stop, __ATOMIC_RELAXED) != 0;
}

int uncial_recognize(TessBaseAPI *api, int32_t *stop, struct uncial_part *part) {
  ETEXT_DESC *monitor = TessMonitorCreate();
  int result;

  TessMonitorSetCancelThis(monitor, stop);
  TessMonitorSetCancelFunc(monitor, stopped);
  one_thread();
  uncial_begin_part(part);
  result = TessBaseAPIRecognize(api, monitor);
  uncial_end_part();
  TessMonitorDelete(monitor);
  return result;
}

void uncial_release(size_t threshold) {
  if (mallinfo2().fordblks > threshold) malloc_trim(0);
}
