package layout

// Pictures on a page of print. Lengths are in units of the height of most letters.
const (
	// inkGrey is the grey below which a pixel of a page with white paper is ink.
	inkGrey = 128
	// minPictureInk is the minimum share of ink in a picture: the nine pictures of both sets have 0.12 to 0.88. Frames around text
	// are recognized by the words in them.
	minPictureInk = 0.1
	// minPictureSide is the minimum length of a picture's shorter side: it is 14 or more for the pictures of both sets, and at
	// most 9 for initials of up to three lines.
	minPictureSide = 10.0
	// minInitial is the minimum height of an initial of two lines, narrowestInitial the minimum width of an initial, and
	// largestInitial the maximum length of its sides.
	minInitial, narrowestInitial, largestInitial = 3.0, 1.2, 18.0
	// maxIllustrations and maxInitials are the maximum numbers of components that may belong to pictures, or be initials, before
	// those that overlap are joined. A page with more has a pattern, or type of two sizes; on it nothing is taken for a picture
	// or an initial, so that a hostile page cannot keep a processor busy.
	maxIllustrations, maxInitials = 2000, 300
	// samePicture is the minimum overlap of two parts of one picture, as a share of the smaller part's area.
	samePicture = 0.25
)

// Staves of music.
const (
	// minStaffLines and maxStaffLines bound the number of lines of a staff: four in chant, five in other music.
	minStaffLines, maxStaffLines = 4, 5
	// staffStrips is the number of vertical strips of the page in which staves are searched for, and minStaffStrip their
	// minimum width in pixels. minStaffStrips is the minimum number of strips in which a staff is found. staffGap is the
	// maximum number of strips between these in which it is not found, because beams hide it.
	staffStrips, minStaffStrip, minStaffStrips, staffGap = 24, 16, 4, 2
	// minStaffSpace and maxStaffSpace bound the distance between lines in units of the height of most letters. Rows of a table
	// are taller.
	minStaffSpace, maxStaffSpace = 0.4, 2.0
	// staffTolerance is the maximum deviation of a distance from the mean, and staffThickness the maximum thickness of a line,
	// both as shares of the mean distance, plus one pixel.
	staffTolerance, staffThickness = 0.2, 0.4
	// staffDark is the minimum share of a strip's width that a line covers.
	staffDark = 0.8
	// minTextInStaff is the minimum number of letters between the rules of a table that are not a staff.
	minTextInStaff = 8
	// staffAcross is the minimum share of a region's width that a staff across it covers. syllableGap is the maximum distance from
	// the middle of a staff to the syllables under it, in units of its height. syllableRows is the maximum distance between two
	// rows of syllables in units of the height of most letters, and maxSyllableRows their maximum number.
	staffAcross, syllableGap, syllableRows, maxSyllableRows = 0.6, 2.0, 2.0, 6
)
