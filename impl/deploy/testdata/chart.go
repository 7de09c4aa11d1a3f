// Command chart renders or lints a Helm chart, as version 1.31 of Kubernetes would get it. It does what `helm template` and
// `helm lint --strict` do, with helm's packages: most of helm's own command, which takes long to build, is for clusters and
// registries. The test of the chart builds it with the modules of helm, which define the kinds of Kubernetes too.
//
// usage: chart lint|objects|notes CHART VALUES
package main

import (
	"fmt"
	"os"
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

var kubernetes = chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: chart lint|objects|notes CHART VALUES")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(what, chart, valuesFile string) error {
	values, err := chartutil.ReadValuesFile(valuesFile)
	if err != nil {
		return err
	}
	if what == "lint" {
		linter := lint.AllWithKubeVersion(chart, values, "default", &kubernetes)
		if linter.HighestSeverity >= support.WarningSev {
			return fmt.Errorf("%v", linter.Messages)
		}
		return nil
	}
	files, err := render(chart, values)
	if err != nil {
		return err
	}
	notes := path.Join("uncial", "templates", "NOTES.txt")
	if what == "notes" {
		fmt.Println(files[notes])
		return nil
	}
	delete(files, notes)
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder) // without hooks that helm does not know
	if err != nil {
		return err
	}
	var objects []string
	for _, h := range hooks {
		objects = append(objects, h.Manifest)
	}
	for _, m := range manifests {
		objects = append(objects, m.Content)
	}
	for _, text := range objects {
		if err := check(text); err != nil {
			return fmt.Errorf("%w\n%s", err, text)
		}
		fmt.Printf("---\n%s\n", text)
	}
	return nil
}

// render returns the text of each template.
func render(folder string, values chartutil.Values) (map[string]string, error) {
	chart, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	if needed := chart.Metadata.KubeVersion; !chartutil.IsCompatibleRange(needed, kubernetes.Version) {
		return nil, fmt.Errorf("Chart.yaml: kubeVersion: %q does not include %s", needed, kubernetes.Version)
	}
	capabilities := *chartutil.DefaultCapabilities
	capabilities.KubeVersion = kubernetes
	release := chartutil.ReleaseOptions{Name: "demo", Namespace: "default", Revision: 1, IsInstall: true}
	values, err = chartutil.ToRenderValues(chart, values, release, &capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, values)
}

// check returns an error if an object has a field that its kind does not have, or a value of the wrong type. A value of the
// right type may still be one that a cluster refuses. Strict decoding refuses unknown and repeated fields, which the API server
// only warns about or drops.
func check(object string) error {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	_, _, err := strict.Decode([]byte(object), nil, nil)
	if strings.Contains(object, "apiVersion: monitoring.coreos.com/v1\n") && runtime.IsNotRegisteredError(err) {
		return nil // a kind of the Prometheus operator, which is not part of Kubernetes
	}
	return err
}
