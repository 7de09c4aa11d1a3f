package correct_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
)

// list is a Lexicon of a few words.
type list []string

func (l list) Known(word string) bool {
	word = strings.Trim(word, ".,;:!?")
	return slices.Contains(l, word) || slices.Contains(l, strings.ToLower(word))
}

func (l list) Match(word string, variants lexicon.Variants, limit int) []string {
	var found []string
	for _, w := range l {
		a, b := []rune(word), []rune(w)
		same := len(a) == len(b)
		for i := range a {
			same = same && (a[i] == b[i] || slices.Contains(variants[a[i]], string(b[i])))
		}
		if same && len(found) < limit {
			found = append(found, w)
		}
	}
	return found
}

var words = list{"the", "house", "of", "stands", "hill", "maison", "self", "upon", "fame", "same", "feast", "mix", "lits", "pièce", "était", "laysser", "lunedì", "adónde"}

// blocks returns one block of one line. Words are 10 pixels a letter wide.
func blocks(text string, confidence float64) []document.Block {
	line := document.Line{}
	x := 0
	for w := range strings.FieldsSeq(text) {
		box := document.Box{X: x, W: 10 * len([]rune(w)), H: 20}
		line.Words = append(line.Words, document.Word{Text: w, Confidence: confidence, Box: box, Signals: &document.Signals{Letters: confidence}})
		line.Box = line.Box.Union(box)
		x += box.W + 10
	}
	return []document.Block{{Box: line.Box, Lines: []document.Line{line}}}
}

// alphabet returns the characters of a text.
func alphabet(text string) lexicon.Alphabet {
	a := lexicon.Alphabet{}
	for _, r := range text {
		a[r] = true
	}
	return a
}

func text(b []document.Block) string { return (&document.Page{Blocks: b}).Text() }

// readings returns further readings of the line of blocks by the same model.
func readings(confidence float64, texts ...string) (all correct.Readings) {
	for _, text := range texts {
		all.Again = append(all.Again, wordsOf(text, confidence))
	}
	return all
}

func wordsOf(text string, confidence float64) []document.Word {
	if text == "" {
		return nil
	}
	return blocks(text, confidence)[0].Lines[0].Words
}

func TestKnowledge_Vote(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{Known: words, Seen: map[string]int{"house": 3}}
	for _, c := range []struct {
		why, read string
		others    []string
		want      string
	}{
		{"takes what all other readings have", "the hovfe stands", []string{"the house stands", "the house stands", "the house stands"}, "the house stands"},
		{"keeps a sure word", "the house stands", []string{"the honse stands", "the hoase stands", ""}, "the house stands"},
		{"keeps a line without another reading", "the hovfe stands", []string{"", "", ""}, "the hovfe stands"},
		{"joins a torn word", "the ho use stands", []string{"the house stands", "the house stands", "the house stands"}, "the house stands"},
		{"splits joined words", "thehouse stands", []string{"the house stands", "the house stands", "the house stands"}, "the house stands"},
		{"corrects a number that the others have", "the 1965 stands", []string{"the 1905 stands", "the 1905 stands", "the 1905 stands"}, "the 1905 stands"},
		{"keeps old signs", "the œuure stands", []string{"the euure stands", "the euure stands", "the euure stands"}, "the œuure stands"},
		{"keeps a known word if the other one is unknown", "the house stands", []string{"the hovse stands", "the hovse stands", "the hovse stands"}, "the house stands"},
		{"does not turn letters into figures", "the lll stands", []string{"the 111 stands", "the 111 stands", "the 111 stands"}, "the lll stands"},
		{"does not turn figures into letters", "the 17 1 10 stands", []string{"the 17 l 10 stands", "the 17 l 10 stands", "the 17 l 10 stands"}, "the 17 1 10 stands"},
		{"does not modernize", "the étoit stands", []string{"the était stands", "the était stands", "the était stands"}, "the étoit stands"},
		{"does not respell", "the auoir stands", []string{"the avoir stands", "the avoir stands", "the avoir stands"}, "the auoir stands"},
		{"keeps a note mark", "the *) stands", []string{"the 1) stands", "the 1) stands", "the 1) stands"}, "the *) stands"},
		{"does not write Greek in Latin letters", "the ΑΙΑΣ stands", []string{"the AIAZ stands", "the AIAZ stands", "the AIAZ stands"}, "the ΑΙΑΣ stands"},
		{"does not expand an abbreviation", "the hõuse stands", []string{"the house stands", "the house stands", "the house stands"}, "the hõuse stands"},
		{"does not change a capital alone", "the House stands", []string{"the house stands", "the house stands", "the house stands"}, "the House stands"},
		{"does not read a stain as letters", "the hovfe . stands", []string{"the hovfe iliiliil stands", "the hovfe iliiliil stands", "the hovfe iliiliil stands"}, "the hovfe . stands"},
		{"reads a torn word as one that is six characters longer", "the ho stands", []string{"the houseand stands", "the houseand stands", "the houseand stands"}, "the houseand stands"},
		{"does not read a letter as a word", "the h stands", []string{"the househou stands", "the househou stands", "the househou stands"}, "the h stands"},
		{"drops half of a word", "the houseand stands", []string{"the hous stands", "the hous stands", "the hous stands"}, "the hous stands"},
		{"does not drop more than half of a word", "the houseand stands", []string{"the hou stands", "the hou stands", "the hou stands"}, "the houseand stands"},
	} {
		confidence := 0.3
		if c.read == c.want && c.others[2] == "" {
			confidence = 0.99
		}
		b := blocks(c.read, confidence)
		edits := knowledge.Vote(&b[0].Lines[0], readings(0.95, c.others...))
		require.Equal(t, c.want, text(b), c.why)
		require.Len(t, edits, boolInt(c.want != c.read), c.why)
		if len(edits) > 0 {
			require.Equal(t, "vote", edits[0].Rule)
			require.Equal(t, c.want, strings.Replace(c.read, edits[0].Before, edits[0].After, 1), c.why)
		}
	}
}

// TestKnowledge_Vote_replays shows that the edits, applied in their order, turn the line into what is returned.
func TestKnowledge_Vote_replays(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{Known: words}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching("[a-e]{1,4}")
		line := rapid.SliceOfN(word, 1, 8)
		distinct := rapid.SliceOfNDistinct(word, 1, 8, rapid.ID) // an edit does not say which of several equal words it changes, but its box
		read := blocks(strings.Join(distinct.Draw(t, "read"), " "), rapid.Float64Range(0, 1).Draw(t, "own"))
		before := text(read)
		var others []string
		for range 3 {
			others = append(others, strings.Join(line.Draw(t, "other"), " "))
		}
		rest, after := before, ""
		for _, e := range knowledge.Vote(&read[0].Lines[0], readings(rapid.Float64Range(0, 1).Draw(t, "confidence"), others...)) {
			unchanged, behind, found := strings.Cut(" "+rest+" ", " "+e.Before+" ")
			if !found {
				t.Fatalf("%q has no %q", rest, e.Before)
			}
			after, rest = strings.TrimSpace(after+unchanged+" "+e.After), strings.TrimSpace(behind)
		}
		if got := strings.TrimSpace(after + " " + rest); got != text(read) {
			t.Fatalf("%q became %q, and by its edits %q", before, text(read), got)
		}
	})
}

func TestKnowledge_Candidates(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{
		Known: words, Seen: map[string]int{"house": 2, "hovfe": 1}, NetworkTrust: 0.5,
		Likelihood: func(line string) float64 { return float64(strings.Count(line, "house")) },
	}
	read := wordsOf("The hovfe stands", 0.5)
	further := readings(0.9, "The house stands", "The house stands", "The hovfe stands")
	further.Network, further.Other = [][]document.Word{wordsOf("The house stands", 0.9)}, wordsOf("The hovfe ſtands", 0.9)
	all := knowledge.Candidates(read, further)
	require.Len(t, all, 1, "readings by the same model and by the network make candidates, once each, and another reading of the page makes none")
	require.Equal(t, "house", all[0].Text())
	require.Equal(t, 1, all[0].From)
	require.Equal(t, 2, all[0].To)
	for name, want := range map[string]float64{
		"constant": 1, "agree": math.Log(9) / 3, "lead": math.Log(9), "language": 1, "last": 0, "on page": 0, "known": 0, "several": 1, "sure": math.Log(9), "listed": 1, "own": 0,
		"near":    1.0 / 3, // two readings are for it, one against it
		"network": 0.5, "other": -1,
	} {
		i := slices.Index(correct.EvidenceNames[:], name)
		require.InDelta(t, want, all[0].Evidence[i], 1e-9, name)
	}
}

// TestKnowledge_Candidates_onPage shows that a word that occurs twice in a line is not evidence for itself.
func TestKnowledge_Candidates_onPage(t *testing.T) {
	t.Parallel()
	onPage := slices.Index(correct.EvidenceNames[:], "on page")
	for _, c := range []struct {
		why  string
		seen int
		want float64
	}{
		{"the page has both words once more", 4, 1},
		{"the page has them nowhere else", 2, 0},
	} {
		knowledge := correct.Knowledge{Known: words, Seen: map[string]int{"mixmix": c.seen}}
		all := knowledge.Candidates(wordsOf("mixmix mixmix", 0.5), readings(0.9, "mixmixmixmax"))
		require.Len(t, all, 1, c.why)
		require.InDelta(t, c.want, all[0].Evidence[onPage], 0, c.why)
	}
}

func TestKnowledge_Differs(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{Known: words}
	line := wordsOf("the hovfe stands", 0.5)
	require.True(t, knowledge.Differs(line, wordsOf("the house stands", 0.9)))
	require.True(t, knowledge.Differs(line, nil), "nothing was read")
	require.False(t, knowledge.Differs(line, wordsOf("the hovfe stands", 0.9)))
	require.False(t, knowledge.Differs(line, wordsOf("The hovfe stands", 0.9)), "capitals alone are never changed")
}

func TestNetworkTrust(t *testing.T) {
	t.Parallel()
	trust := func(confidence float64, network string) float64 {
		b := blocks("the house stands upon hill", confidence)
		return correct.NetworkTrust([]*document.Line{&b[0].Lines[0]}, []correct.Readings{{Network: [][]document.Word{wordsOf(network, 0.9)}}})
	}
	require.InDelta(t, (5+2.4)/9, trust(0.99, "the house stands upon hill"), 1e-9)
	require.InDelta(t, (3+2.4)/9, trust(0.99, "the horse stands upon hall"), 1e-9)
	require.InDelta(t, 0.6, trust(0.5, "the house stands upon hill"), 1e-9, "words that are not sure do not count")
	require.InDelta(t, 0.6, trust(0.99, ""), 1e-9, "without a reading nothing is known")
}

func TestLongS(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("maiſon ", 12)
	for _, c := range []struct{ why, word, want string }{
		{"repairs a word if one known word results", "maifon,", "maiſon,"},
		{"keeps a known word", "fame", "fame"},
		{"keeps a word if no known word results", "qufq", "qufq"},
		{"keeps a short word", "fo", "fo"},
		{"keeps a name", "Maifonx", "Maifonx"},
		{"does not end a word in long s", "litf", "litf"},
	} {
		b := blocks(page+c.word, 0.8)
		edits := correct.LongS(b, words)
		require.Equal(t, page+c.want, text(b), c.why)
		require.Len(t, edits, len(strings.Fields(c.want))-boolInt(c.want == c.word), c.why)
	}
	b := blocks("maifon", 0.8)
	require.Empty(t, correct.LongS(b, words), "a page without long s stays unchanged")
}

func TestWithoutFalseLongS(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, line, network, want string }{
		{"drops what the network does not read on a page with round s", "ſont eſt lisez vaste poste", "sont est lisez vaste poste", "sont est lisez vaste poste"},
		{"keeps it if the network reads it too", "ſont eſt lisez vaste poste", "ſont eſt lisez vaste poste", "ſont eſt lisez vaste poste"},
		{"keeps it on a page with hardly any round s", "ſont eſt liſez vaſte poste", "sont est lisez vaste poste", "ſont eſt liſez vaſte poste"},
		{"does not count s at the end of words", "ſont des mots les plus clairs", "sont des mots les plus clairs", "ſont des mots les plus clairs"},
	} {
		b := blocks(c.line, 0.8)
		correct.WithoutFalseLongS([]*document.Line{&b[0].Lines[0]}, []correct.Readings{{Network: [][]document.Word{wordsOf(c.network, 0.9)}}})
		require.Equal(t, c.want, text(b), c.why)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestKnowledge_Vote_network shows that the network alone can correct a line, with weights of its own.
func TestReadsLongS(t *testing.T) {
	t.Parallel()
	for read, want := range map[string]bool{
		strings.Repeat("the moſt ſerene houſe ", 4):                         true,
		strings.Repeat("the moſt ſerene houſe ", 3):                         false, // too few
		strings.Repeat("the moſt ſerene houſe of miſsed business desk ", 4): false, // as many round ones
	} {
		readings := []correct.Readings{{Network: [][]document.Word{wordsOf(read, 0.9)}}}
		require.Equal(t, want, correct.ReadsLongS(readings), read)
	}
}

func TestKnowledge_Vote_network(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why            string
		own, network   float64
		trust          float64
		read, by, want string
	}{
		{"takes what a sure network reads in place of a doubtful word", 0.4, 0.99, 0.9, "the hovfe stands", "the house stands", "the house stands"},
		{"keeps a sure word", 0.99, 0.5, 0.5, "the house stands", "the hovfe stands", "the house stands"},
		{"never changes the type of a letter alone", 0.4, 0.99, 0.9, "the houſe ſtands", "the house stands", "the houſe ſtands"},
		{"keeps the form of quotation marks and dashes", 0.4, 0.99, 0.9, "‘the hovfe— stands’", "'the house- stands'", "‘the house— stands’"},
		{"joins words", 0.4, 0.99, 0.9, "the ho use stands", "the house stands", "the house stands"},
		{"keeps a listed word if the network is not sure of one that is not", 0.4, 0.7, 0.9, "the stands house", "the stands hause", "the stands house"},
		{"replaces it if the network is sure", 0.4, 0.99, 0.9, "the stands house", "the stands hause", "the stands hause"},
		{"does not divide a listed word into others", 0.4, 0.99, 0.9, "the house stands", "the ho u se stands", "the house stands"},
		{"divides words", 0.4, 0.99, 0.9, "thehouse stands", "the house stands", "the house stands"},
		{"drops a quotation mark", 0.4, 0.99, 0.9, "the hovfe’ stands", "the house stands", "the house stands"},
		{"adds a word that was lost", 0.4, 0.99, 0.9, "the house", "the house stands", "the house stands"},
		{"keeps words in another script", 0.4, 0.99, 0.9, "the λόγος stands", "the Aoyos stands", "the λόγος stands"},
		{"writes round s on a page without long s", 0.4, 0.99, 0.9, "the hovfe stands", "the houſe ſtands", "the house stands"},
		{"does not read f as long s there", 0.4, 0.99, 0.9, "the fame stands", "the ſame stands", "the fame stands"},
		{"never respells", 0.4, 0.99, 0.9, "the auoir stands", "the avoir stands", "the auoir stands"},
		{"keeps a letter that the network lacks", 0.4, 0.99, 0.9, "the lunedì hovfe", "the lunedi house", "the lunedì house"},
		{"keeps signs that the network has not learnt", 0.4, 0.99, 0.9, "for $12.50 or #45 the hovfe", "for 812.50 or f45 the house", "for $12.50 or #45 the house"},
		{"takes signs that the network has learnt", 0.4, 0.99, 0.9, "for £12.50 or f45 the hovfe", "for §12.50 or £45 the house", "for §12.50 or £45 the house"},
		{"takes a fraction in place of a sign", 0.4, 0.99, 0.9, "12% of hovfe", "12½ of house", "12½ of house"},
		{"keeps a point that the network leaves out of a number", 0.4, 0.99, 0.9, "2.43 to hovfe", "243 to house", "2.43 to house"},
		{"keeps a point for which the network reads a blank", 0.4, 0.99, 0.9, "7,318 to hovfe", "7 318 to house", "7,318 to house"},
		{"keeps a sign before a point", 0.4, 0.99, 0.9, "25%. the hovfe", "2590 the house", "25%. the house"},
		{"drops a speck from a year", 0.4, 0.99, 0.9, "in 18.61 the hovfe", "in 1861 the house", "in 1861 the house"},
		{"takes another sign in place of a point", 0.4, 0.99, 0.9, "5.555 to hovfe", "5,555 to house", "5,555 to house"},
		{"keeps a sign that the network takes for two digits", 0.4, 0.99, 0.9, "25% of hovfe", "2590 of house", "25% of house"},
		{"keeps a sign that the network leaves out", 0.4, 0.99, 0.9, "¿upon hovfe", "upon house", "¿upon house"},
		{"keeps a sign that the network joins with a number", 0.4, 0.99, 0.9, "the 5 %; hovfe", "the 90; house", "the 5 %; house"},
		{"keeps signs that stand alone beside a number", 0.4, 0.99, 0.9, "the 5 % of # 12 hovfe", "the 5 90 of S 12 house", "the 5 % of # 12 house"},
		{"keeps the signs of a sum", 0.4, 0.99, 0.9, "14 + 9 = 23 and 2x + 3y hovfe", "14 4 9 — 23 and 2x 4 3y house", "14 + 9 = 23 and 2x + 3y house"},
		{"keeps a sign that the network joins with numbers", 0.4, 0.99, 0.9, "14 + 9 hovfe", "1449 house", "14 + 9 house"},
		{"keeps a digit that would become the letter that it looks like", 0.4, 0.99, 0.9, "80 and hovfe", "8o and house", "80 and house"},
		{"takes letters that were read as digits", 0.4, 0.99, 0.9, "11 hovfe", "Il house", "Il house"},
		{"writes 7 for the sign that resembles it on a page without long s", 0.4, 0.99, 0.9, "le 1 hovfe", "le ⁊ house", "le 7 house"},
		{"keeps spaces within quotation marks of sure words", 0.95, 0.99, 0.9, "the « house » of", "the \"house\" of", "the « house » of"},
		{"takes an unlisted letter that the network lacks for misread", 0.4, 0.99, 0.9, "the höuse", "the house", "the house"},
		{"keeps the quotation marks and spaces of sure words", 0.95, 0.99, 0.9, "‘upon ; the", "upon; the", "‘upon ; the"},
		{"may change an accent", 0.4, 0.99, 0.9, "the hôuse stands", "the house stands", "the house stands"},
		{"never drops an abbreviation mark or an old sign", 0.4, 0.99, 0.9, "hõuse æquo stands", "house equo stands", "hõuse æquo stands"},
		{"keeps the form of double quotation marks", 0.4, 0.99, 0.9, "„the hovfe“ stands", "\"the house\" stands", "„the house“ stands"},
		{"writes long s on a page with long s", 0.4, 0.99, 0.9, "the hovfe ſtands", "the houſe ſtands", "the houſe ſtands"},
	} {
		knowledge := correct.Knowledge{
			Known: words, NetworkTrust: c.trust, NetworkAlone: true, LongS: strings.Contains(c.read, "ſ"),
			Alphabet: alphabet("abcdefghijklmnopqrstuvwxyzAVW0123456789ſõôæ,;.§£$%#+?!½"),
		}
		b := blocks(c.read, c.own)
		knowledge.Vote(&b[0].Lines[0], correct.Readings{Network: [][]document.Word{wordsOf(c.by, c.network)}})
		require.Equal(t, c.want, text(b), c.why)
	}
}

// TestKnowledge_Vote_accents checks that words keep accents that the network learnt from rendered lines alone.
func TestKnowledge_Vote_accents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, read, by, want string }{
		{"keeps accents that the network leaves out", "la gradería ó la hovfe", "la graderia o la house", "la gradería ó la house"},
		{"keeps capitals with accents", "la África", "la Africa", "la África"},
		{"keeps accents that the network takes for others", "señor ó hovfe", "senor ô house", "señor ó house"},
		{"takes letters from the network", "el océauo", "el océano", "el océano"},
		{"keeps accents beside letters from the network", "la razóu", "la razon", "la razón"},
		{"takes accents from the network", "la graderia", "la gradería", "la gradería"},
		{"drops accents that the language lacks", "la maisön", "la maison", "la maison"},
	} {
		knowledge := correct.Knowledge{
			Known: correct.Lexicons{}, NetworkTrust: 0.9, NetworkAlone: true, Accents: "áéíóúñü",
			Alphabet: alphabet("abcdefghijklmnopqrstuvwxyzAáéíñúôö"),
		}
		b := blocks(c.read, 0.4)
		knowledge.Vote(&b[0].Lines[0], correct.Readings{Network: [][]document.Word{wordsOf(c.by, 0.99)}})
		require.Equal(t, c.want, text(b), c.why)
	}
}

// TestKnowledge_Vote_accentedCapitals checks that the network, which has hardly learnt accented capitals, removes accents from
// them only in words that are unsure or not listed, even in a language that it has learnt.
func TestKnowledge_Vote_accentedCapitals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		read       string
		confidence float64
		by, want   string
	}{
		{"KÖNIGLICHES", 0.4, "KONIGLICHES", "KÖNIGLICHES"}, // listed
		{"LÖWENTHAL", 0.9, "LOWENTHAL", "LÖWENTHAL"},
		{"LÖWENTHAL", 0.4, "LOWENTHAL", "LOWENTHAL"},
		{"Ëlizabeth", 0.9, "Elizabeth", "Elizabeth"}, // the other is listed
		{"la maisön", 0.4, "la maison", "la maison"},
		{"vieille EGLISE", 0.4, "vieille ÉGLISE", "vieille ÉGLISE"},
	} {
		knowledge := correct.Knowledge{
			Known: list{"königliches", "elizabeth"}, NetworkTrust: 0.9, NetworkAlone: true,
			Alphabet: alphabet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZÉÖËö"),
		}
		b := blocks(c.read, c.confidence)
		knowledge.Vote(&b[0].Lines[0], correct.Readings{Network: [][]document.Word{wordsOf(c.by, 0.99)}})
		require.Equal(t, c.want, text(b), c.read)
	}
}

func TestAccented(t *testing.T) {
	t.Parallel()
	require.Equal(t, "éøąłț", correct.Accented("Łąt, țe\u0301s 1é Øre and ἀνήρ"))
	require.Empty(t, correct.Accented("plain æ ß ſ 7½ ·"))
}

// TestKnowledge_Vote_bars checks that bars and strokes are accents.
func TestKnowledge_Vote_bars(t *testing.T) {
	t.Parallel()
	knowledge := correct.Knowledge{Known: correct.Lexicons{}, NetworkTrust: 0.9, NetworkAlone: true, Accents: "łøå", Alphabet: alphabet("abcdefghijklmnopqrstuvwxyzO")}
	b := blocks("Øret på skała uovca", 0.4)
	knowledge.Vote(&b[0].Lines[0], correct.Readings{Network: [][]document.Word{wordsOf("Oret pa skala novca", 0.99)}})
	require.Equal(t, "Øret på skała novca", text(b))
}

func TestKnowledge_Vote_greekNetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, read, by, want string }{
		{"corrects Greek", "the χαὶ χάρτ stands", "the καὶ κάρτ stands", "the καὶ κάρτ stands"},
		{"writes Greek in place of Latin letters", "the Alas stands", "the Αἴας stands", "the Αἴας stands"},
		{"writes the apostrophe of elisions", "the φόβοισι yap stands", "the φόβοισί γ' stands", "the φόβοισί γ’ stands"},
		{"keeps the quotation marks of Greek words", "the ‘λόγοσ’ stands", "the 'λόγος' stands", "the ‘λόγος’ stands"},
		{"leaves the apostrophe in Latin letters plain", "the horfe", "the hor'e", "the hor'e"},
		{"keeps words in a third script", "the дом stands", "the δομ stands", "the дом stands"},
	} {
		knowledge := correct.Knowledge{Known: correct.Lexicons{}, NetworkTrust: 0.9, NetworkAlone: true, Alphabet: alphabet("abcdefghijklmnopqrstuvwxyzA'Ἴἴίὶκαχάρτφόβοισγςδμλ")}
		b := blocks(c.read, 0.4)
		knowledge.Vote(&b[0].Lines[0], correct.Readings{Network: [][]document.Word{wordsOf(c.by, 0.99)}})
		require.Equal(t, c.want, text(b), c.why)
	}
}

func TestWithLatin(t *testing.T) {
	t.Parallel()
	latin := wordsOf("bei worin ro evpivov ſich", 0.9)
	for want, sure := range map[string]float64{"bei worin τὸ εὕρινον ſich": 0.8, "bci worin τὸ εὕρινον ſict": 0.95} {
		words := correct.WithLatin(wordsOf("bci worin τὸ εὕρινον ſict", sure), latin)
		require.Equal(t, want, (&document.Line{Words: words}).Text())
	}
	greek := wordsOf("τὸ εὕρινον", 0.5)
	require.Equal(t, greek, correct.WithLatin(greek, nil))
	require.Empty(t, correct.WithLatin(nil, latin))
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	line := wordsOf("the houſe ſtands here", 0.5)
	correct.Confirm(line, wordsOf("the house stood here", 0.9))
	signals := make([]float64, len(line))
	for i, w := range line {
		signals[i] = w.Signals.Network
	}
	require.InDeltaSlice(t, []float64{math.Log(9), math.Log(9), -1, math.Log(9)}, signals, 1e-9)

	bare := wordsOf("the house", 0.5)
	bare[0].Signals = nil
	correct.Confirm(bare, wordsOf("the house", 0.9))
	require.Nil(t, bare[0].Signals, "a word without signals stays unchanged")
	require.InDelta(t, math.Log(9), bare[1].Signals.Network, 1e-9)

	unread := wordsOf("the houſe", 0.5)
	correct.Confirm(unread, nil)
	require.Zero(t, unread[0].Signals.Network, "the network read nothing")
}

func TestAlign(t *testing.T) {
	t.Parallel()
	require.Equal(t, 4, correct.Partners([]rune("bread"), []rune("reed")))
	require.Equal(t, 4000, correct.Partners(slices.Repeat([]rune("a"), 4000), slices.Repeat([]rune("b"), 4000)))
	require.Zero(t, correct.Partners(slices.Repeat([]rune("a"), 4001), slices.Repeat([]rune("a"), 4000)), "texts that are far too long for a line")
}
