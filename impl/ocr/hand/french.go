package hand

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The model for hands has learnt French. Whether a page is French is told by what it made of it: the commonest words are
// short, so that many of them are right even where half of the letters are not. What the caller says decides between.
const (
	// leastWords is how many words tell anything.
	leastWords = 20
	// clearlyFrench is by how much the share of common French words exceeds that of any other language's for a page to be
	// French whatever the caller says; possiblyFrench, by how much at least where the caller says that it is. On the shared
	// pages it is 0.14 to 0.44 for the eight French hands and at most 0.091 for the seven English and medieval ones.
	clearlyFrench, possiblyFrench = 0.08, 0.1
	// leastTall is the share of letters that reach above or below the small ones at least. French has a quarter of such; a
	// wavy line, which is read as words of m, n, u and i, has hardly any.
	leastTall = 0.1
	// chance is what clearlyFrench asks for more, divided by the root of the number of words: few words differ by chance.
	chance = 0.4
)

// frenchWords are common words of French, of its older spellings too.
var frenchWords = setOf(`de la le les et des en un une du que qui dans pour au aux ce ne sur se pas il par plus son avec sa ou
	je mais nous vous est sont être estre avoir cette ses leur leurs lui mon ma mes tout tous comme si on elle ils elles été
	fait cet ces même mesme sans bien me te moi ont avait avoit était étoit estoit votre notre vos nos dont où deux fois quand
	lorsque puis dit ledit ladite après avant chez sous entre`)

// otherWords are common words of other languages, one after the other, with those that French has too: half of a Spanish
// deed is "de la que en".
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

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// french says whether what was read of a hand is French. named is true where the caller says so, which decides where the
// words do not.
func french(all []reading, named bool) bool {
	words := commonWords(all)
	if len(words) < leastWords {
		return named
	}
	if tallShare(words) < leastTall {
		return false
	}
	own := share(words, func(w string) bool { return frenchWords[w] })
	more := own - most(words, func(w string, other map[string]bool) bool { return other[w] && !frenchWords[w] })
	if named {
		return more >= possiblyFrench
	}
	others := most(words, func(w string, other map[string]bool) bool { return other[w] })
	return own > others && more >= clearlyFrench+chance/math.Sqrt(float64(len(words)))
}

// tallShare is the share of the letters that have an ascender or a descender.
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

// commonWords are the words of a hand as lists have them: in small letters, without what is short by an apostrophe.
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

// most is the greatest share that any other language has of the words.
func most(words []string, has func(word string, other map[string]bool) bool) float64 {
	var greatest float64
	for _, other := range otherWords {
		greatest = max(greatest, share(words, func(w string) bool { return has(w, other) }))
	}
	return greatest
}

func share(words []string, has func(string) bool) float64 {
	n := 0
	for _, word := range words {
		if has(word) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}
