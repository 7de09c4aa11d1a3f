// Package architecture_test holds the rules that keep the parts of the project apart, each with its reason.
package architecture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const root = "../.."

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
	TestImports,
	XTestImports []string
}

// mustList is every package of the module with what it reaches.
func mustList(tb testing.TB) []goPackage {
	tb.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,TestImports,XTestImports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(tb, err)
	var list []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(tb, err)
		list = append(list, p)
	}
}

// under says whether pkg is one of trees or lies in one.
func under(pkg string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(t string) bool { return pkg == t || strings.HasPrefix(pkg, t+"/") })
}

func TestDependencies_PointOneWay(t *testing.T) {
	t.Parallel()
	rules := []struct {
		from   []string
		never  []string
		tests  bool // the rule holds for the tests too
		reason string
	}{
		{[]string{"uncial/gen"}, []string{"uncial/internal", "uncial/impl", "uncial/mock", "uncial/contracttests", "uncial/testcontainers"}, true, "the contract depends on nothing of ours"},
		{[]string{"uncial/internal/edge"}, []string{"uncial/impl", "uncial/mock", "uncial/contracttests"}, true, "the HTTP front end knows neither server"},
		{[]string{"uncial/internal/contract", "uncial/internal/document", "uncial/internal/format", "uncial/internal/language", "uncial/internal/request", "uncial/internal/apidocs", "uncial/internal/tryit"}, []string{"uncial/impl", "uncial/mock", "uncial/contracttests", "uncial/internal/edge"}, true, "what mock and service share stands below both"},
		{[]string{"uncial/mock"}, []string{"uncial/impl", "uncial/contracttests"}, true, "client teams build the mock without a database or a recognizer"},
		{[]string{"uncial/impl/account", "uncial/impl/ledger", "uncial/impl/ratelimit", "uncial/impl/store", "uncial/impl/fetch", "uncial/impl/ocr"}, []string{"uncial/internal/edge"}, false, "accounts, points, limits and reading do not depend on the HTTP front end"},
		{[]string{"uncial/impl"}, []string{"uncial/mock", "uncial/contracttests"}, true, "the service is judged by the suite, it does not judge itself"},
		{[]string{"uncial/impl", "uncial/mock", "uncial/internal/edge", "uncial/internal/document", "uncial/internal/format"}, []string{"uncial/testcontainers"}, false, "containers are for tests"},
	}
	for _, p := range mustList(t) {
		for _, r := range rules {
			if !under(p.ImportPath, r.from...) {
				continue
			}
			imports := slices.Clone(p.Imports)
			if r.tests {
				imports = slices.Concat(imports, p.TestImports, p.XTestImports)
			}
			for _, i := range imports {
				if under(i, r.never...) && !under(i, p.ImportPath) {
					t.Errorf("%s imports %s: %s", p.ImportPath, i, r.reason)
				}
			}
		}
	}
}

func TestBinaries_CarryOnlyWhatTheyNeed(t *testing.T) {
	t.Parallel()
	production := []string{"uncial/impl/cmd/uncial", "uncial/impl/cmd/uncial-worker", "uncial/mock/cmd/uncial-mock"}
	rules := []struct {
		binaries []string
		never    []string
		reason   string
	}{
		{production, []string{"testing", "github.com/stretchr/testify", "github.com/testcontainers", "pgregory.net/rapid"}, "test code has no business in production; uncial-contract is a test tool and makes its requests with rapid"},
		{[]string{"uncial/impl/cmd/uncial"}, []string{"uncial/impl/ocr/tesseract", "uncial/impl/ocr/worker"}, "the process that holds keys and database never runs C on foreign bytes"},
		{[]string{"uncial/mock/cmd/uncial-mock"}, []string{"uncial/impl", "github.com/jackc", "github.com/pressly", "modernc.org"}, "the mock has no database"},
		{[]string{"uncial/impl/cmd/uncial-worker"}, []string{"database/sql", "net/http", "uncial/impl/store"}, "the child needs no network and no database"},
	}
	seen := map[string]bool{}
	for _, p := range mustList(t) {
		for _, r := range rules {
			if !slices.Contains(r.binaries, p.ImportPath) {
				continue
			}
			seen[p.ImportPath] = true
			for _, d := range p.Deps {
				if under(d, r.never...) {
					t.Errorf("%s links %s: %s", p.ImportPath, d, r.reason)
				}
			}
		}
	}
	for _, b := range production {
		require.True(t, seen[b], "%s is gone; update the list in this test", b)
	}
}

func TestCgo_StaysInItsPackages(t *testing.T) {
	t.Parallel()
	allowed := []string{"uncial/impl/ocr/tesseract", "uncial/impl/ocr/neural"} // a thin binding, and vector arithmetic
	for _, p := range mustList(t) {
		if slices.Contains(p.Imports, "C") {
			require.Contains(t, allowed, p.ImportPath, "C is reached through a thin binding or used for vector arithmetic")
		}
	}
}

func TestTopLevel_HasNoOtherFiles(t *testing.T) {
	t.Parallel()
	allowed := []string{"openapi.yaml", "gen", "impl", "mock", "contracttests", "testcontainers", "go.mod", "go.sum", "Makefile", "README.md", "CHANGELOG.md", "LICENSE", "internal"}
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	for path := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(path), "/")
		if !strings.HasPrefix(top, ".") {
			require.Contains(t, allowed, top, "the top level is fixed")
		}
	}
}

func TestGen_IsGenerated(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "gen", "*.go"))
	require.NoError(t, err)
	for _, f := range files {
		if filepath.Base(f) == "gen.go" {
			continue // the go:generate line
		}
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Contains(t, string(data[:min(len(data), 400)]), "DO NOT EDIT", f)
	}
}

// TestComments_FitOneScreen checks only lines without code. Directives such as go:generate cannot be wrapped.
func TestComments_FitOneScreen(t *testing.T) {
	t.Parallel()
	const columns = 128
	comment := regexp.MustCompile(`^\s*// `)
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, ".gen.go") {
			return err
		}
		data, err := os.ReadFile(path)
		number := 0
		for line := range strings.SplitSeq(string(data), "\n") {
			number++
			if comment.MatchString(line) && utf8.RuneCountInString(line) > columns {
				t.Errorf("%s:%d: the comment has more than %d columns", path, number, columns)
			}
		}
		return err
	}))
}

// TestFormats_AreListedWhole finds lists that lack one output format of the contract: flags, messages, and lists of the
// constants in package gen. Lists that lack more are of formats with a property in common, so formats must be added one at a
// time.
func TestFormats_AreListedWhole(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile(filepath.Join(root, "openapi.yaml"))
	require.NoError(t, err)
	enum := regexp.MustCompile(`(?m)^    Format:\n(?:      .*\n)*?      enum: \[(.+)\]$`).FindSubmatch(contract)
	require.NotNil(t, enum, "the enum of Format in openapi.yaml")
	formats := strings.Split(string(enum[1]), ", ")
	word := regexp.MustCompile(`[a-z]+`)
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, ".gen.go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for node := range ast.Preorder(tree) {
			var listed []string
			switch node := node.(type) {
			case *ast.BasicLit:
				if node.Kind == token.STRING {
					listed = word.FindAllString(node.Value, -1)
				}
			case *ast.CompositeLit:
				listed = constantsOfGen(node)
			}
			lacking := slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return slices.Contains(listed, f) })
			if len(lacking) == 1 {
				t.Errorf("%s has a list of formats without %s", path, lacking[0])
			}
		}
		return nil
	}))
}

// constantsOfGen returns the names, in lower case, of the constants of package gen that are elements or keys of a list.
func constantsOfGen(list *ast.CompositeLit) (names []string) {
	for _, element := range list.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Key
		}
		selector, ok := element.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if from, ok := selector.X.(*ast.Ident); ok && from.Name == "gen" {
			names = append(names, strings.ToLower(selector.Sel.Name))
		}
	}
	return names
}

// `make test` builds the packages that the Makefile lists as COMPUTING without the race detector.
func TestComputingPackages_StartNoGoroutines(t *testing.T) {
	t.Parallel()
	match := mustFindInMakefile(t, `(?m)^COMPUTING := \$\(addprefix impl/ocr/,(.+)\) (.+)$`)
	folders := strings.Fields(match[2])
	for name := range strings.FieldsSeq(match[1]) {
		folders = append(folders, "impl/ocr/"+name)
	}
	for _, name := range folders {
		files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			require.NoError(t, err)
			require.False(t, startsGoroutine(tree), "%s starts a goroutine; take its package from COMPUTING in the Makefile", file)
		}
	}
}

// `make test` skips the tests that the Makefile lists as SUITE_TESTS in all packages, and runs them in those of the suite.
func TestSuiteTests_AreInTheSuite(t *testing.T) {
	t.Parallel()
	isFound := map[string]bool{}
	for _, name := range mustListInMakefile(t, "SUITE_TESTS") {
		isFound[name] = false
	}
	mustEachTest(t, func(path, name string, _ []byte) {
		if _, isListed := isFound[name]; isListed {
			require.True(t, strings.HasPrefix(path, filepath.Join(root, "contracttests")), "%s has a test %s, which would never run", path, name)
			isFound[name] = true
		}
	})
	for name, found := range isFound {
		require.True(t, found, "no test is named %s", name)
	}
}

// `make test` uses the race detector for all tests except those that the Makefile lists as RACELESS_TESTS.
func TestRacelessTests_Run(t *testing.T) {
	t.Parallel()
	listed, packages := mustListInMakefile(t, "RACELESS_TESTS"), mustListInMakefile(t, "RACELESS_PACKAGES")
	var found []string
	mustEachTest(t, func(path, name string, code []byte) {
		if runsWithRaceDetector(t, path, code) {
			require.NotContains(t, listed, name, "%s has a test of this name, which would never run with the race detector", path)
			return
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		require.NoError(t, err)
		require.Contains(t, listed, name, "add the test of %s to RACELESS_TESTS in the Makefile, or it will never run", path)
		require.Contains(t, packages, "./"+folder, "add the folder to RACELESS_PACKAGES in the Makefile")
		found = append(found, name)
	})
	require.ElementsMatch(t, listed, found)
}

// runsWithRaceDetector reports whether the race detector's build includes a file, if all other conditions are met.
func runsWithRaceDetector(tb testing.TB, path string, code []byte) bool {
	tb.Helper()
	for line := range strings.Lines(string(code)) {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		condition, err := constraint.Parse(line)
		require.NoError(tb, err, path)
		with, without := condition.Eval(func(string) bool { return true }), condition.Eval(func(tag string) bool { return tag != "race" })
		return with || !without
	}
	return true
}

// mustEachTest calls visit for each test function of the module, with the path and the content of its file. Fuzz tests and
// examples count as well.
func mustEachTest(tb testing.TB, visit func(path, name string, code []byte)) {
	tb.Helper()
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	require.NoError(tb, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, test := range declaration.FindAllSubmatch(code, -1) {
			visit(path, string(test[1]), code)
		}
		return err
	}))
}

// mustListInMakefile returns the words of a variable of the Makefile.
func mustListInMakefile(tb testing.TB, variable string) []string {
	tb.Helper()
	list := mustFindInMakefile(tb, `(?m)^`+variable+` := ((?:.+\\\n)*.+)$`)[1]
	return strings.Fields(strings.ReplaceAll(list, "\\\n", ""))
}

// mustFindInMakefile returns the first match of a pattern in the Makefile, and its groups.
func mustFindInMakefile(tb testing.TB, pattern string) []string {
	tb.Helper()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(tb, err)
	match := regexp.MustCompile(pattern).FindStringSubmatch(string(makefile))
	require.NotNil(tb, match, pattern)
	return match
}

// starters are the functions and methods that start goroutines: of sync.WaitGroup, errgroup.Group, context and time.
var starters = []string{"Go", "TryGo", "AfterFunc"}

// startsGoroutine reports whether a file may start one. It compares the names of functions only, whatever they belong to.
func startsGoroutine(file *ast.File) (starts bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.SelectorExpr:
			starts = starts || slices.Contains(starters, n.Sel.Name)
		}
		return true
	})
	return starts
}

func TestStartsGoroutine(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		"go f()":                          true,
		"if x { for { go func() {}() } }": true,
		"var g sync.WaitGroup; g.Go(f)":   true,
		"start := group.TryGo; start(f)":  true,
		"time.AfterFunc(d, f)":            true,
		"f(); x.Gone = y.Goal()":          false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() { "+body+" }", 0)
		require.NoError(t, err)
		require.Equal(t, want, startsGoroutine(file), body)
	}
}
