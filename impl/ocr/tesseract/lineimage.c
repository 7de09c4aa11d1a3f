// Tesseract 5 passes the picture of each line to its recognizer as a PNG file in memory: it compresses the line with
// pixWriteMem, and immediately unpacks it with pixReadMem. That takes about a tenth of the time of a page. A program's own
// definition of a function takes precedence over a library's, so Tesseract calls the two functions below, which do not compress
// the line. They pass all other calls on to Leptonica.
#define _GNU_SOURCE
#include "lineimage.h"

#include <dlfcn.h>
#include <leptonica/allheaders.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// The rows of 32-bit words follow.
struct line {
  uint8_t secret[16];
  int32_t width, height, wpl, xres, yres;
};

// pixReadMem also reads untrusted files. Only this process knows these random bytes, so a file cannot pretend to be a line. If
// there are no random bytes, lines are compressed as before.
static uint8_t secret[16];
static int ready;
static int64_t kept;

static l_ok (*write_file)(l_uint8 **, size_t *, PIX *, l_int32);
static PIX *(*read_file)(const l_uint8 *, size_t);

__attribute__((constructor)) static void prepare(void) {
  write_file = (l_ok(*)(l_uint8 **, size_t *, PIX *, l_int32))dlsym(RTLD_NEXT, "pixWriteMem");
  read_file = (PIX * (*)(const l_uint8 *, size_t)) dlsym(RTLD_NEXT, "pixReadMem");
  ready = getrandom(secret, sizeof secret, 0) == (ssize_t)sizeof secret;
}

int64_t uncial_lines_kept(void) { return __atomic_load_n(&kept, __ATOMIC_RELAXED); }

l_ok pixWriteMem(l_uint8 **pdata, size_t *psize, PIX *pix, l_int32 format) {
  if (!ready || format != IFF_PNG || pix == NULL || pixGetDepth(pix) != 8 || pixGetColormap(pix) != NULL || pdata == NULL ||
      psize == NULL || pixGetText(pix) != NULL)
    return write_file(pdata, psize, pix, format);

  struct line l = {.width = pixGetWidth(pix), .height = pixGetHeight(pix), .wpl = pixGetWpl(pix), .xres = pixGetXRes(pix), .yres = pixGetYRes(pix)};
  size_t size = 4 * (size_t)l.wpl * (size_t)l.height;
  memcpy(l.secret, secret, sizeof secret);
  *psize = 0;
  *pdata = malloc(sizeof l + size);
  if (*pdata == NULL) return 1;
  memcpy(*pdata, &l, sizeof l);
  memcpy(*pdata + sizeof l, pixGetData(pix), size);
  *psize = sizeof l + size;
  __atomic_add_fetch(&kept, 1, __ATOMIC_RELAXED);
  return 0;
}

PIX *pixReadMem(const l_uint8 *data, size_t size) {
  struct line l;
  PIX *pix;

  if (!ready || data == NULL || size < sizeof l || memcmp(data, secret, sizeof secret) != 0) return read_file(data, size);
  memcpy(&l, data, sizeof l);
  if ((pix = pixCreateNoInit(l.width, l.height, 8)) == NULL) return NULL;
  size -= sizeof l;
  if (pixGetWpl(pix) != l.wpl || size != 4 * (size_t)l.wpl * (size_t)l.height) {
    pixDestroy(&pix);
    return NULL;
  }
  memcpy(pixGetData(pix), data + sizeof l, size);
  pixSetResolution(pix, l.xres, l.yres);
  pixSetInputFormat(pix, IFF_PNG);
  return pix;
}
