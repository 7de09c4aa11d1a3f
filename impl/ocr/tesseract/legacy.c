// Tesseract loads, for each model, a table of characters that its former recognizer confused: five megabytes, and as many
// classes of its adaptive classifier. The line recognizer, the only one in use, never looks at it. As in lineimage.c, the program's own
// definition of a function takes precedence over the library's. This one loads nothing.
void uncial_load_universal(void *ambiguities, const void *encoder, void *characters) __asm__(
    "_ZN9tesseract13UnicharAmbigs13LoadUniversalERKNS_10UNICHARSETEPS1_");

void uncial_load_universal(void *ambiguities, const void *encoder, void *characters) {
  (void)ambiguities;
  (void)encoder;
  (void)characters;
}
