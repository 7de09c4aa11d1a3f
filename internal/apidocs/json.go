package apidocs

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// indented returns a YAML value as JSON for reading. Members keep the order of openapi.yaml, which a Go map would lose.
func indented(n yaml.Node) (string, error) {
	text, err := compact(&n)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = json.Indent(&b, []byte(text), "", "  ")
	return b.String(), err
}

// compact returns a YAML value as JSON on one line.
func compact(n *yaml.Node) (string, error) {
	var b bytes.Buffer
	err := writeNode(&b, n)
	return b.String(), err
}

// writeNode writes a value of any kind. openapi.yaml has no aliases inside of examples.
func writeNode(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		return writeList(b, n.Content, "{:,}")
	case yaml.SequenceNode:
		return writeList(b, n.Content, "[,,]")
	default:
		return writeScalar(b, n)
	}
}

// writeList writes nodes between marks[0] and marks[3], separated by marks[1] and marks[2] in turn: a mapping node has
// its names and values in one list.
func writeList(b *bytes.Buffer, nodes []*yaml.Node, marks string) error {
	b.WriteByte(marks[0])
	for i, n := range nodes {
		if i > 0 {
			b.WriteByte(marks[2-i%2])
		}
		if err := writeNode(b, n); err != nil {
			return err
		}
	}
	b.WriteByte(marks[3])
	return nil
}

// writeScalar writes a string, number, boolean or null. The YAML library decides which one the text is.
func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	var v any
	if err := n.Decode(&v); err != nil {
		return err
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
}
