package cases

import "uncial/contracttests/internal/model"

// readerRows check what results say about the program and the models that made them. Readings.CheckResult compares it with the
// document and with earlier results.
var readerRows = []row{
	{
		// The formats find readers that depend on how the answer is written.
		name: "extract/200/reader", points: 40, needs: []string{model.NeedAllFields},
		explanation: "The reader names the program and the models that read the page, the same in every format; nothing read a blank page.",
		asks:        []ask{read(printed), read(printed).format("alto"), read(printed).format("text"), read(blank)},
	}, {
		name: "extract/200/reader-in-alto", points: 20, needs: []string{model.NeedAllFields},
		explanation: "ALTO describes each model of the reader as Processing, and each line refers to those that read it.",
		asks:        []ask{read(printed).format("alto"), read(other).format("alto")},
	}, {
		name: "extract/200/reader-in-page", points: 20, needs: []string{model.NeedAllFields},
		explanation: "PAGE-XML describes each model of the reader as a MetadataItem, and each line refers to those that read it.",
		asks:        []ask{read(printed).format("page"), read(other).format("page")},
	}, {
		name: "extract/200/reader-in-hocr", points: 20, needs: []string{model.NeedAllFields},
		explanation: "hOCR describes each model of the reader in a meta element, and each line refers to those that read it.",
		asks:        []ask{read(printed).format("hocr"), read(other).format("hocr")},
	},
}
