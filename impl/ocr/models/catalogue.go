package models

// catalogue maps BCP 47 tags to the models that read them, best first. The names are those of Debian's packs and of
// Tesseract's own repositories, in which the names of scripts (und-...) begin with a capital letter.
//
// Some models read an older stage of a language for which there is no subtag. Their tag ends in the private use subtag x-old
// (RFC 5646, section 2.2.7): it-x-old, es-x-old, ka-x-old. The older stages with a subtag are enm (1100-1500), frm (about
// 1400-1600) and grc (to 1453).
var catalogue = map[string][]string{
	"af": {"afr"}, "am": {"amh"}, "ar": {"ara"}, "as": {"asm"}, "az": {"aze"}, "az-Cyrl": {"aze_cyrl"}, "be": {"bel"},
	"bg": {"bul"}, "bn": {"ben"}, "bo": {"bod"}, "br": {"bre"}, "bs": {"bos"}, "ca": {"cat"}, "ceb": {"ceb"}, "chr": {"chr"},
	"co": {"cos"}, "cs": {"ces"}, "cy": {"cym"}, "da": {"dan"}, "de": {"deu"}, "de-Latf": {"frk", "deu_latf", "Fraktur"},
	"dv": {"div"}, "dz": {"dzo"}, "el": {"ell"}, "en": {"eng"}, "enm": {"enm"}, "eo": {"epo"}, "es": {"spa"},
	"es-x-old": {"spa_old"}, "et": {"est"}, "eu": {"eus"}, "fa": {"fas"}, "fi": {"fin"}, "fil": {"fil"}, "fo": {"fao"},
	"fr": {"fra"}, "frm": {"frm"}, "fy": {"fry"}, "ga": {"gle"}, "gd": {"gla"}, "gl": {"glg"}, "grc": {"grc"}, "gu": {"guj"},
	"he": {"heb"}, "hi": {"hin"}, "hr": {"hrv"}, "ht": {"hat"}, "hu": {"hun"}, "hy": {"hye"}, "id": {"ind"}, "is": {"isl"},
	"it": {"ita"}, "it-x-old": {"ita_old"}, "iu": {"iku"}, "ja": {"jpn", "Japanese", "jpn_vert"}, "jv": {"jav"},
	"ka": {"kat"}, "ka-x-old": {"kat_old"}, "kk": {"kaz"}, "km": {"khm"}, "kmr": {"kmr"}, "kn": {"kan"},
	"ko": {"kor", "Hangul", "kor_vert"}, "ky": {"kir"}, "la": {"lat"}, "lb": {"ltz"}, "lo": {"lao"}, "lt": {"lit"},
	"lv": {"lav"}, "mi": {"mri"}, "mk": {"mkd"}, "ml": {"mal"}, "mn": {"mon"}, "mr": {"mar"}, "ms": {"msa"}, "mt": {"mlt"},
	"my": {"mya"}, "ne": {"nep"}, "nl": {"nld"}, "no": {"nor"}, "oc": {"oci"}, "or": {"ori"}, "pa": {"pan"}, "pl": {"pol"},
	"ps": {"pus"}, "pt": {"por"}, "qu": {"que"}, "ro": {"ron"}, "ru": {"rus"}, "sa": {"san"}, "sd": {"snd"}, "si": {"sin"},
	"sk": {"slk"}, "sl": {"slv"}, "sq": {"sqi"}, "sr": {"srp"}, "sr-Latn": {"srp_latn"}, "su": {"sun"}, "sv": {"swe"},
	"sw": {"swa"}, "syr": {"syr"}, "ta": {"tam"}, "te": {"tel"}, "tg": {"tgk"}, "th": {"tha"}, "ti": {"tir"}, "to": {"ton"},
	"tr": {"tur"}, "tt": {"tat"}, "ug": {"uig"}, "uk": {"ukr"}, "ur": {"urd"}, "uz": {"uzb"}, "uz-Cyrl": {"uzb_cyrl"},
	"vi": {"vie", "Vietnamese"}, "yi": {"yid"}, "yo": {"yor"},
	"zh-Hans": {"chi_sim", "HanS", "chi_sim_vert"}, "zh-Hant": {"chi_tra", "HanT", "chi_tra_vert"},

	"und-Arab": {"Arabic"}, "und-Armn": {"Armenian"}, "und-Beng": {"Bengali"}, "und-Cans": {"Canadian_Aboriginal"},
	"und-Cher": {"Cherokee"}, "und-Cyrl": {"Cyrillic"}, "und-Deva": {"Devanagari"}, "und-Ethi": {"Ethiopic"},
	"und-Geor": {"Georgian"}, "und-Grek": {"Greek"}, "und-Gujr": {"Gujarati"}, "und-Guru": {"Gurmukhi"},
	"und-Hang": {"Hangul", "Hangul_vert"}, "und-Hans": {"HanS", "HanS_vert"}, "und-Hant": {"HanT", "HanT_vert"},
	"und-Hebr": {"Hebrew"}, "und-Jpan": {"Japanese", "Japanese_vert"}, "und-Khmr": {"Khmer"}, "und-Knda": {"Kannada"},
	"und-Laoo": {"Lao"}, "und-Latf": {"Fraktur"}, "und-Latn": {"Latin"}, "und-Mlym": {"Malayalam"}, "und-Mymr": {"Myanmar"},
	"und-Orya": {"Oriya"}, "und-Sinh": {"Sinhala"}, "und-Syrc": {"Syriac"}, "und-Taml": {"Tamil"}, "und-Telu": {"Telugu"},
	"und-Thaa": {"Thaana"}, "und-Thai": {"Thai"}, "und-Tibt": {"Tibetan"},
}
