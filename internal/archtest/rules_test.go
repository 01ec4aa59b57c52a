package archtest

// modulePath is the root module; every folder of the repository is imported
// below it, those of the nested modules included.
const modulePath = "github.com/loopvitals/loopvitals"

// anything covers every path.
const anything = "*"

// clockModule may be used by all but the standard-library-only folders, since
// timers must be drivable by tests.
const clockModule = "github.com/benbjohnson/clock"

// rule says what the code of one folder may import beside the standard
// library. Tests are held to testModules instead. A path followed by "/..."
// covers the path and all below it.
type rule struct {
	folder  string   // path from the repository's root
	inside  []string // folders of this repository
	outside []string // packages of others
	stdOnly bool     // not even the clock
	reason  string
}

// rules is the import table. The longest matching folder decides; a folder
// without a row is refused.
var rules = []rule{
	{
		folder: ".",
		reason: "the root package is documentation only",
	},
	{
		folder: "board", stdOnly: true,
		reason: "a loop must be able to report without pulling in anything, and facts must not know their judges",
	},
	{
		folder: "liveness", inside: []string{"board", "check"},
		reason: "judging needs the facts and the form of an answer, and neither HTTP nor telemetry",
	},
	{
		folder: "liveness/livenesstest", inside: []string{"liveness", "board", "check"},
		reason: "helpers for users' tests speak of reporters, monitors and statuses only",
	},
	{
		folder: "check",
		reason: "what a check is must be importable by every check in the world",
	},
	{
		folder: "check/cluster", inside: []string{"check"}, outside: []string{"golang.org/x/sys/unix", "golang.org/x/sys/windows"},
		reason: "the membership rules are pure and know no engine; their clock is the kernel's that goes on while the host sleeps",
	},
	{
		folder: "check/cluster/casmember", inside: []string{"check/cluster"},
		reason: "membership over compare-and-set needs a key-value store's interface, not a store",
	},
	{
		folder: "check/cluster/clustertest", inside: []string{"check/cluster", "check/cluster/casmember"},
		reason: "the conformance suite must be usable by drivers outside this repository",
	},
	{
		folder: "check/cluster/etcd", inside: []string{"check/cluster/casmember"},
		outside: []string{"go.etcd.io/etcd/client/v3", "go.etcd.io/etcd/api/v3/v3rpc/rpctypes"},
		reason:  "a driver turns one client's calls into a key-value store, and is a module of its own for that client's sake",
	},
	{
		folder: "check/cluster/natskv", inside: []string{"check/cluster/casmember"},
		outside: []string{"github.com/nats-io/nats.go", "github.com/nats-io/nats.go/jetstream"},
		reason:  "a driver turns one client's calls into a key-value store, and is a module of its own for that client's sake",
	},
	{
		folder: "check/redundancy", inside: []string{"check", "check/cluster"},
		reason: "the service level is computed from membership and checks, whatever the bus",
	},
	{
		folder: "check/redundancy/redundancytest", inside: []string{"check/redundancy", "check/cluster", "check/cluster/clustertest"},
		reason: "the conformance suite must be usable by buses outside this repository, and drives the nodes at their ends by a scripted cluster",
	},
	{
		folder: "check/redundancy/etcdbus", inside: []string{"check/redundancy"},
		outside: []string{"go.etcd.io/etcd/client/v3", "go.etcd.io/etcd/api/v3/v3rpc/rpctypes"},
		reason:  "a bus turns one client's calls into messages, and is a module of its own for that client's sake",
	},
	{
		folder: "check/redundancy/natsbus", inside: []string{"check/redundancy"},
		outside: []string{"github.com/nats-io/nats.go"},
		reason:  "a bus turns one client's calls into messages, and is a module of its own for that client's sake",
	},
	{
		folder: "check/resubscribe", inside: []string{"check"},
		reason: "the guard reports through a small interface, so it does not need the board",
	},
	{
		folder: "check/grpccheck", inside: []string{"check"}, outside: []string{"google.golang.org/grpc/..."},
		reason: "grpc is a dependency of those who use it, so its check is a module of its own",
	},
	{
		folder: "tiers", inside: []string{"check"},
		reason: "a tier knows checks; a monitor enters as one, so tiers must not know processors",
	},
	{
		folder: "tiers/adapter", inside: []string{"tiers/adapter/observation", "tiers/adapter/internal/..."},
		outside: []string{"golang.org/x/sys/unix"},
		reason:  "the loopback adapter samples another process: it has no board, no check and no tier of its own",
	},
	{
		folder: "tiers/adapter/observation", inside: []string{"tiers/adapter/internal/strictjson"},
		reason: "the document is a contract between two processes, and knows neither",
	},
	{
		folder: "tiers/adapter/observation/schematest",
		reason: "the schema is held against the decoder in tests only, and is a module of its own for the validator's sake",
	},
	{
		folder: "tiers/adapter/node", inside: []string{"check", "tiers", "tiers/adapter/observation"},
		outside: []string{"golang.org/x/sys/unix"},
		reason:  "a node tells what its checks and tiers say, and does not know who asks",
	},
	{
		folder: "tiers/adapter/internal/...", inside: []string{"tiers/adapter/internal/..."},
		outside: []string{"golang.org/x/sys/unix"},
		reason:  "sockets, processes and grammars know nothing of health",
	},
	{
		folder: "tiers/grpcgate", inside: []string{"tiers"},
		outside: []string{
			"google.golang.org/grpc/...",
			"google.golang.org/genproto/googleapis/rpc/errdetails",
			"google.golang.org/protobuf/types/known/durationpb",
		},
		reason: "grpc is a dependency of those who serve it, and a gate is any, with a cluster behind it or none",
	},
	{
		folder: "otelbridge", inside: []string{"board", "liveness", "tiers", "check/...", "otelbridge/internal/..."},
		outside: []string{
			"go.opentelemetry.io/otel",
			"go.opentelemetry.io/otel/attribute",
			"go.opentelemetry.io/otel/metric/...",
		},
		reason: "the application owns the SDK and the exporter, the bridge speaks the API only",
	},
	{
		folder: "otelbridge/internal/...", inside: []string{"board", "liveness", "tiers", "check/..."},
		reason: "what is read and what it is called are the same for every exporter, and belong to no telemetry library",
	},
	{
		folder: "otelbridge/prom", inside: []string{"board", "liveness", "tiers", "check/...", "otelbridge", "otelbridge/internal/..."},
		outside: []string{
			"github.com/prometheus/client_golang/prometheus",
			"github.com/prometheus/client_model/go",
			"github.com/prometheus/common/expfmt",
		},
		reason: "a Collector needs the client library, its wire types and its content negotiation, and nothing of OpenTelemetry",
	},
	{
		folder: "otelbridge/mixin", stdOnly: true,
		reason: "rules are text, and whoever renders them should not need the library's dependencies",
	},
	{
		folder: "otelbridge/mixin/dash/...", outside: []string{"github.com/grafana/grafana-foundation-sdk/go/..."},
		reason: "the dashboard is data, and whoever builds it needs its model only",
	},
	{
		folder: "otelbridge/mixin/promtest/...", inside: []string{"otelbridge/mixin"},
		reason: "it runs the real programs and links none of them, which would take minutes to compile",
	},
	{
		folder: "cmd/loopvitals", inside: []string{anything}, outside: []string{"golang.org/x/sys/unix"},
		reason: "the command shows the public packages, and stays small and static",
	},
	{
		folder: "internal/...",
		reason: "internal/ holds tests about the repository, and no code that another folder could need",
	},
	{
		folder: "examples/...", inside: []string{anything}, outside: []string{anything},
		reason: "examples run on real engines, which only they depend on",
	},
	{
		folder: "bench/...", inside: []string{anything}, outside: []string{anything},
		reason: "rivals are measured as their real modules, which only the benchmarks depend on",
	},
}

// testModules are what tests of the root module may import from outside. Tests
// of nested modules are free: their go.mod is their own.
var testModules = []rule{
	{
		folder: anything,
		outside: []string{
			"github.com/google/go-cmp/...",
			"go.uber.org/goleak",
			"github.com/anishathalye/porcupine",
			"pgregory.net/rapid",
			"golang.org/x/sys/...",
		},
		reason: "the standard library's testing package is enough; these compare, find leaks, check histories, make inputs and reach the kernel",
	},
	{
		folder:  "otelbridge/...",
		outside: []string{"go.opentelemetry.io/otel/...", "github.com/prometheus/..."},
		reason:  "instruments are shown through the real SDK and the real exporter",
	},
}

// forbidden are standard packages that no production code imports.
var forbidden = []struct {
	path   string
	except []string // folders, in the notation of rule.folder
	reason string
}{
	{"C", nil, "a fresh machine has no C compiler"},
	{"expvar", nil, "importing it puts a handler on the default mux"},
	{"net/http/pprof", nil, "importing it puts handlers on the default mux"},
	{
		"testing",
		[]string{"liveness/livenesstest", "check/cluster/clustertest", "check/redundancy/redundancytest", "bench/..."},
		"test helpers must not be linked into users' programs",
	},
}
