package hand

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// frenchWords holds common words of French, including older spellings.
var frenchWords = setOf(`de la le les et des en un une du que qui dans pour au aux ce ne sur se pas il par plus son avec sa ou
	je mais nous vous est sont être estre avoir cette ses leur leurs lui mon ma mes tout tous comme si on elle ils elles été
	fait cet ces même mesme sans bien me te moi ont avait avoit était étoit estoit votre notre vos nos dont où deux fois quand
	lorsque puis dit ledit ladite après avant chez sous entre`)

// otherWords holds common words of other languages, one set for each: English, Latin, German, Spanish, Italian, Portuguese,
// Dutch, Catalan, Occitan and Romanian. Some of them are French too: half of a Spanish deed is "de la que en".
var otherWords = []map[string]bool{
	setOf(`the of and to in that was his he it with is for as had you not be her at by which have or from this him but all she
		they were are my an your so we been will would if when who them what there can do out has more one us`),
	setOf(`in non ad ut cum quod ex per sed ab quae hoc eius enim autem quam nec ac atque esse sunt quia eo sua suo eum quo pro
		aut vel iam etiam ita dei deus domini dominus et de ne si te se me`),
	setOf(`der die und den von zu das mit sich dem nicht ein eine auf ist im auch an als wie werden aus er hat dass daß sie nach
		wird bei einer um noch einem ich wir aber so zum zur des`),
	setOf(`el los las por con una del lo como para es su al y muy mas más pero este esta ha sus don dicho dicha qual de la que en
		se un me te le sin si no`),
	setOf(`di che il non per con una del della è dei delle gli lo più alla nel sono al ha suo sua ed anche come da questo io mi
		la le un se si ne in`),
	setOf(`os da do em com um uma por não na no dos das ao mais se como ou foi ser seu sua de que me te`),
	setOf(`van het een in is dat op te zijn met voor niet aan er om ook als dan maar bij uit door ik hij wij den der ende de en se
		me des`),
	setOf(`els el del dels al als amb ab per una com és ha no lo dit dita aquest ni més seu seva de la les en un que se son`),
	setOf(`lo los las al als amb per una es dins sens lor aquel ni de la les en un que se del son`),
	setOf(`și şi în in din nu cu pe care este mai să fi lui prin pentru ca am ai al ale sau de la un se ce au sa`),
}

// setOf returns the set of the words in a text with white space between them.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// isFrench reports whether handwriting is French. It counts common words: they are short, so many of them are read correctly
// even if half of all letters are wrong. tagged is true if the page is tagged as French; the tag decides if there are too few
// words.
func isFrench(all []reading, tagged bool) bool {
	words := commonWords(all)
	if len(words) < minWords {
		return tagged
	}
	if tallShare(words) < minTall {
		return false
	}
	own := shareOf(words, func(w string) bool { return frenchWords[w] })
	more := own - greatestShare(words, func(w string, other map[string]bool) bool { return other[w] && !frenchWords[w] })
	if tagged {
		return more >= possiblyFrench
	}
	others := greatestShare(words, func(w string, other map[string]bool) bool { return other[w] })
	return own > others && more >= clearlyFrench+samplingError/math.Sqrt(float64(len(words)))
}

// tallShare returns the share of the letters that have an ascender or a descender.
func tallShare(words []string) float64 {
	letters := strings.Join(words, "")
	tall := 0
	for _, r := range letters {
		if strings.ContainsRune("bdfghjklpqtyſß", r) {
			tall++
		}
	}
	return float64(tall) / float64(utf8.RuneCountInString(letters))
}

// commonWords returns the words of handwriting in lower case, as they are in the sets. It drops words of one letter, such as
// those before an apostrophe.
func commonWords(all []reading) []string {
	var words []string
	for _, l := range all {
		if !l.line.Handwritten {
			continue
		}
		text := strings.ToLower(l.line.Text())
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if utf8.RuneCountInString(word) > 1 {
				words = append(words, word)
			}
		}
	}
	return words
}

// greatestShare returns the largest share of the words that one of the other languages has.
func greatestShare(words []string, has func(word string, other map[string]bool) bool) float64 {
	var greatest float64
	for _, other := range otherWords {
		greatest = max(greatest, shareOf(words, func(w string) bool { return has(w, other) }))
	}
	return greatest
}

// shareOf returns the share of the words for which has is true.
func shareOf(words []string, has func(string) bool) float64 {
	n := 0
	for _, word := range words {
		if has(word) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}
