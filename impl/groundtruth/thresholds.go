package groundtruth

// Thresholds of the height of lines. They were not tuned on pages. The lines that the shipped models were trained on were cut
// with the same numbers (heights in impl/ocr/neural/training/finder/pages.py), so a change requires training those models
// anew.
const (
	// columns is the number of columns of a polygon at which its distance from the baseline is measured: more would not change
	// a quantile. minColumns is the minimum number of them that the polygon must cover.
	columns, minColumns = 200, 3
	// upShare and downShare are the quantiles of the distances above and below the baseline that count as the line's height.
	// Few letters have descenders and many have ascenders, but a flourish may leave the line on either side.
	upShare, downShare = 0.90, 0.85
	// minUp and minDown, in pixels, are the minimum distances: a polygon that touches its baseline was drawn too tightly.
	minUp, minDown = 4, 2
	// minWidth and minHeight, in pixels, are the minimum size of a line: smaller letters cannot be read.
	minWidth, minHeight = 12, 8
	// A line that reaches more than flourish times the median distance, and slack pixels, above its baseline encloses another
	// line. It then counts as usualUp times the median.
	flourish, slack, usualUp = 6, 10, 2
	// maxExceeded is the maximum ratio of the height to that of the polygon's bounding box: a baseline far outside of its
	// polygon belongs to another line.
	maxExceeded = 1.6
)
