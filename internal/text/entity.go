package text

import "strings"

// WithoutEntities writes ampersands as they are on the page. The transcriptions of some collections have "&amp;" as the text of
// an ampersand, because they were escaped twice, and networks trained on them read that.
func WithoutEntities(s string) string { return strings.ReplaceAll(s, "&amp;", "&") }
