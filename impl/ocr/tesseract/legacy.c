// For each model, Tesseract loads a table of characters that its former recognizer confused, which takes five megabytes, and as
// much for classes of its adaptive classifier. The line recognizer, the only one that is used, never reads it. As in
// lineimage.c, the program's own definition of a function takes precedence over the library's. This one does not load anything.
void uncial_load_universal(void *ambiguities, const void *encoder, void *characters) __asm__(
    "_ZN9tesseract13UnicharAmbigs13LoadUniversalERKNS_10UNICHARSETEPS1_");

void uncial_load_universal(void *ambiguities, const void *encoder, void *characters) {
  (void)ambiguities;
  (void)encoder;
  (void)characters;
}
