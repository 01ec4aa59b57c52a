package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestImports holds every package, with every build tag, to the import table.
func TestImports(t *testing.T) {
	all := packages(t)
	nested := moduleFolders(t)[1:]
	for _, p := range all {
		for _, violation := range violations(p, nested) {
			t.Error(violation)
		}
	}
}

// TestImportRulesCatch breaks each rule once: a table that lets everything pass
// would look just as green.
func TestImportRulesCatch(t *testing.T) {
	nested := []string{"bench", "check/grpccheck", "examples"}
	in := func(folder string) string { return path.Join(modulePath, folder) }
	cases := []struct {
		name   string
		folder string
		module string
		code   string
		test   string
		want   string // part of the violation; empty: allowed
	}{
		{name: "board uses the standard library", folder: "board", code: "sync/atomic"},
		{name: "board uses the clock", folder: "board", code: clockModule, want: "must not import"},
		{name: "board knows liveness", folder: "board", code: in("liveness"), want: "facts must not know their judges"},
		{name: "liveness reads the board", folder: "liveness", code: in("board")},
		{name: "liveness uses the clock", folder: "liveness", code: clockModule},
		{name: "liveness knows tiers", folder: "liveness", code: in("tiers"), want: "neither HTTP nor telemetry"},
		{name: "check knows the board", folder: "check", code: in("board"), want: "importable by every check"},
		{name: "the rules of membership read the kernel's clock", folder: "check/cluster", code: "golang.org/x/sys/unix"},
		{name: "the rules of membership know an engine", folder: "check/cluster", code: "github.com/nats-io/nats.go", want: "know no engine"},
		{name: "the rules of membership know a gate's HTTP side", folder: "check/cluster", code: in("tiers"), want: "know no engine"},
		{name: "their tests go through HTTP", folder: "check/cluster", test: in("tiers")},
		{name: "tiers know checks", folder: "tiers", code: in("check")},
		{name: "tiers know processors", folder: "tiers", code: in("board"), want: "must not know processors"},
		{name: "tiers know the monitor", folder: "tiers", code: in("liveness"), want: "must not know processors"},
		{name: "the bridge speaks the API", folder: "otelbridge", code: "go.opentelemetry.io/otel/metric"},
		{name: "the bridge reads checks below", folder: "otelbridge", code: in("check/cluster")},
		{name: "the bridge owns an SDK", folder: "otelbridge", code: "go.opentelemetry.io/otel/sdk/metric", want: "the application owns the SDK"},
		{name: "the bridge's tests use the SDK", folder: "otelbridge", test: "go.opentelemetry.io/otel/sdk/metric"},
		{name: "the bridge reads what exporters share", folder: "otelbridge", code: in("otelbridge/internal/reading")},
		{name: "what exporters share reads tiers", folder: "otelbridge/internal/reading", code: in("tiers")},
		{name: "what exporters share uses its own", folder: "otelbridge/internal/reading", code: in("otelbridge/internal/catalogue")},
		{name: "what exporters share knows one of them", folder: "otelbridge/internal/reading", code: in("otelbridge"), want: "belong to no telemetry library"},
		{name: "what exporters share speaks OpenTelemetry", folder: "otelbridge/internal/catalogue", code: "go.opentelemetry.io/otel/metric", want: "belong to no telemetry library"},
		{name: "the Collector negotiates", folder: "otelbridge/prom", code: "github.com/prometheus/common/expfmt"},
		{name: "the Collector speaks OpenTelemetry", folder: "otelbridge/prom", code: "go.opentelemetry.io/otel/metric", want: "nothing of OpenTelemetry"},
		{name: "a tier's tests use the SDK", folder: "tiers", test: "go.opentelemetry.io/otel/sdk/metric", want: "tests must not import"},
		{name: "tests use the leak finder", folder: "board", test: "go.uber.org/goleak"},
		{name: "tests use another assertion library", folder: "board", test: "github.com/stretchr/testify/assert", want: "tests must not import"},
		{name: "the root imports a nested module", folder: "check", code: in("check/grpccheck"), want: "nested module"},
		{name: "a root test imports a nested module", folder: "check", test: in("bench/cmd"), want: "nested module"},
		{name: "a nested module reaches into internal", folder: "examples/consumer", module: "examples", code: in("internal/archtest"), want: "internal/ of the root"},
		{name: "a nested test reaches into internal", folder: "bench", module: "bench", test: in("internal/archtest"), want: "internal/ of the root"},
		{name: "an example uses an engine", folder: "examples/consumer", module: "examples", code: "github.com/nats-io/nats.go"},
		{name: "the gRPC check uses gRPC", folder: "check/grpccheck", module: "check/grpccheck", code: "google.golang.org/grpc/health/grpc_health_v1"},
		{name: "the gRPC check knows tiers", folder: "check/grpccheck", module: "check/grpccheck", code: in("tiers"), want: "must not import"},
		{name: "the gRPC gate explains itself", folder: "tiers/grpcgate", module: "tiers/grpcgate", code: "google.golang.org/genproto/googleapis/rpc/errdetails"},
		{name: "the gRPC gate knows clusters", folder: "tiers/grpcgate", module: "tiers/grpcgate", code: in("check/cluster"), want: "any, with a cluster behind it or none"},
		{name: "tiers know clusters", folder: "tiers", code: in("check/cluster"), want: "must not import"},
		{name: "a module with a similar name", folder: "check/grpccheck", module: "check/grpccheck", code: "google.golang.org/grpcx", want: "must not import"},
		{name: "code uses testing", folder: "tiers", code: "testing", want: "linked into users' programs"},
		{name: "test helpers use testing", folder: "liveness/livenesstest", code: "testing"},
		{name: "code serves profiles", folder: "tiers", code: "net/http/pprof", want: "default mux"},
		{name: "code uses cgo", folder: "board", code: "C", want: "no C compiler"},
		{name: "the alerts' trial makes the rules", folder: "otelbridge/mixin/promtest/cmd/e2e-alert", module: "otelbridge/mixin/promtest", code: in("otelbridge/mixin")},
		{name: "the alerts' trial links Prometheus", folder: "otelbridge/mixin/promtest", module: "otelbridge/mixin/promtest", code: "github.com/prometheus/prometheus/promql", want: "links none of them"},
		{name: "a folder without a rule", folder: "extras", code: "fmt", want: "no row in the import table"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := pkg{folder: c.folder, module: c.module}
			if p.module == "" {
				p.module = "."
			}
			if c.code != "" {
				p.code = []imported{{c.code, "code.go"}}
			}
			if c.test != "" {
				p.tests = []imported{{c.test, "code_test.go"}}
			}
			got := strings.Join(violations(p, nested), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("violations = %q, want %q", got, c.want)
			}
		})
	}
}

// TestRulesHaveReasons keeps the table readable.
func TestRulesHaveReasons(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range slices.Concat(rules, testModules) {
		if r.reason == "" {
			t.Errorf("rule for %s gives no reason", r.folder)
		}
	}
	for _, r := range rules {
		if seen[r.folder] {
			t.Errorf("two rules for %s", r.folder)
		}
		seen[r.folder] = true
	}
}

// violations lists what p imports against the table; nested are the folders of
// the nested modules.
func violations(p pkg, nested []string) []string {
	r, ok := ruleFor(p.folder)
	if !ok {
		return []string{fmt.Sprintf("%s: no row in the import table", p.folder)}
	}
	var found []string
	for _, i := range p.code {
		if reason := refusal(p, i.path, nested); reason != "" {
			found = append(found, fmt.Sprintf("%s: %s %s", i.file, p.folder, reason))
		} else if !mayImport(r, i.path) {
			found = append(found, fmt.Sprintf("%s: %s must not import %s: %s", i.file, p.folder, i.path, r.reason))
		}
		for _, f := range forbidden {
			if i.path == f.path && !coveredBy(f.except, p.folder) {
				found = append(found, fmt.Sprintf("%s: %s must not import %s: %s", i.file, p.folder, i.path, f.reason))
			}
		}
	}
	for _, i := range p.tests {
		if reason := refusal(p, i.path, nested); reason != "" {
			found = append(found, fmt.Sprintf("%s: %s %s", i.file, p.folder, reason))
		} else if !p.nested() && !testMayImport(p.folder, i.path) {
			found = append(found, fmt.Sprintf("%s: tests must not import %s: %s", i.file, i.path, testModules[0].reason))
		}
	}
	return found
}

// refusal says why no package of p's module may import path, or nothing.
func refusal(p pkg, path string, nested []string) string {
	folder, ours := ourFolder(path)
	if !ours {
		return ""
	}
	if p.nested() && covers("internal/...", folder) {
		return "is a nested module and must not import internal/ of the root: users upgrade one without the other"
	}
	if p.nested() {
		return ""
	}
	for _, module := range nested {
		if covers(module+"/...", folder) {
			return "must not import the nested module " + module + ": its dependencies would become everybody's"
		}
	}
	return ""
}

// ruleFor returns the row with the longest folder that covers the given one.
func ruleFor(folder string) (best rule, ok bool) {
	for _, r := range rules {
		if covers(r.folder, folder) && (!ok || len(r.folder) > len(best.folder)) {
			best, ok = r, true
		}
	}
	return best, ok
}

// mayImport says whether code under rule r may import path.
func mayImport(r rule, path string) bool {
	if folder, ours := ourFolder(path); ours {
		own := covers(r.folder, folder)
		return own || coveredBy(r.inside, folder)
	}
	return standard(path) || !r.stdOnly && path == clockModule || coveredBy(r.outside, path)
}

// testMayImport says whether a test of the root module may import path. Every
// package of the root is open to tests.
func testMayImport(folder, path string) bool {
	if _, ours := ourFolder(path); ours || standard(path) || path == clockModule {
		return true
	}
	return slices.ContainsFunc(testModules, func(r rule) bool {
		return covers(r.folder, folder) && coveredBy(r.outside, path)
	})
}

// coveredBy says whether one of the patterns covers path.
func coveredBy(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return covers(pattern, path) })
}

// covers says whether pattern, which is a path, "path/..." or anything, covers
// path.
func covers(pattern, path string) bool {
	if parent, below := strings.CutSuffix(pattern, "/..."); below {
		return path == parent || strings.HasPrefix(path, parent+"/")
	}
	return pattern == anything || path == pattern
}

// ourFolder returns the folder of a package of this repository.
func ourFolder(path string) (folder string, ours bool) {
	if path == modulePath {
		return ".", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

// standard says whether path belongs to the standard library: its first element
// is no host name.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
