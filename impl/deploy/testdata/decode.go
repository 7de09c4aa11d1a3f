// Command decode checks Kubernetes objects, as `helm template` prints them, on standard input. It fails if an object has a
// field that its kind does not have, or a value of the wrong type, and prints the object. A value of the right type may
// still be one that a cluster refuses. The test of the chart builds it with the modules of helm, which define the kinds.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// main stops at the first invalid object. Strict decoding refuses unknown and repeated fields, which the API server only
// warns about or drops.
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
		if bytes.Contains(text, []byte("apiVersion: monitoring.coreos.com/v1\n")) && runtime.IsNotRegisteredError(err) {
			continue // a kind of the Prometheus operator, which is not part of Kubernetes
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, text)
			os.Exit(1)
		}
	}
}
