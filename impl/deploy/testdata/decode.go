// Command decode reads Kubernetes objects from standard input, as `helm template` prints them, and fails if one has a
// field that its kind does not have, or a value of the wrong type. It is built with the modules of helm, which define the
// kinds.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin)); ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			_, _, err = strict.Decode(text, nil, nil)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, text)
			os.Exit(1)
		}
	}
}
