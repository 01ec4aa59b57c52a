package dash_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

func TestConfigErrors(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n-1) + "." }
	for name, c := range map[string]struct {
		config dash.Config
		want   string // empty: accepted
	}{
		"zero":                      {dash.Config{}, ""},
		"prefix with a dot":         {dash.Config{Prefix: "otopcua."}, ""},
		"prefix without an end":     {dash.Config{Prefix: "otopcua"}, `dash: prefix "otopcua": must be`},
		"prefix with a quote":       {dash.Config{Prefix: `a".`}, "dash: prefix"},
		"prefix of a digit":         {dash.Config{Prefix: "1."}, "dash: prefix"},
		"longest prefix":            {dash.Config{Prefix: long(200)}, ""},
		"prefix too long":           {dash.Config{Prefix: long(201)}, "dash: prefix of 201 bytes: must be at most 200"},
		"one matcher":               {dash.Config{Selector: `job="orders"`}, ""},
		"matchers of each kind":     {dash.Config{Selector: `a="1", b!="2",c=~"3|4",d!~"5"`}, ""},
		"escaped quote":             {dash.Config{Selector: `a="say \"}\""`}, ""},
		"other quotes":              {dash.Config{Selector: "a='it',b=~`x|y`"}, ""},
		"label of the metrics":      {dash.Config{Selector: `job="orders", board="a"`}, "must be on labels of targets, not on board"},
		"a node's role":             {dash.Config{Selector: `role="driver"`}, "must be on labels of targets, not on role"},
		"a guard's key":             {dash.Config{Selector: `guard="gateway-a"`}, "must be on labels of targets, not on guard"},
		"a similar label":           {dash.Config{Selector: `onboard="a",tiers="b"`}, ""},
		"matcher without quotes":    {dash.Config{Selector: `job=orders`}, "dash: selector"},
		"braces":                    {dash.Config{Selector: `{job="orders"}`}, "dash: selector"},
		"a way out of the braces":   {dash.Config{Selector: `a="b"} or vector(1) #"`}, "dash: selector"},
		"comma at the end":          {dash.Config{Selector: `job="orders",`}, "dash: selector"},
		"shortest interval":         {dash.Config{Interval: time.Second}, ""},
		"interval too short":        {dash.Config{Interval: time.Second - 1}, "dash: interval 999.999999ms: must be at least 1s"},
		"negative interval":         {dash.Config{Interval: -time.Minute}, "dash: interval -1m0s: must be at least 1s"},
		"runbook elsewhere":         {dash.Config{RunbookURL: "http://wiki.example/x?y=1"}, ""},
		"runbook without a host":    {dash.Config{RunbookURL: "/runbook"}, "dash: runbook URL"},
		"runbook of another scheme": {dash.Config{RunbookURL: "javascript:alert(1)"}, "dash: runbook URL"},
		"runbook with a fragment":   {dash.Config{RunbookURL: "http://wiki.example/x#y"}, "must have no fragment"},
		"longest uid":               {dash.Config{UID: strings.Repeat("u", 40)}, ""},
		"uid too long":              {dash.Config{UID: strings.Repeat("u", 41)}, "dash: uid"},
		"uid with a space":          {dash.Config{UID: "my dashboard"}, "dash: uid"},
	} {
		d, err := dash.New(c.config)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want == "" && d.Validate() != nil:
			t.Errorf("%s: %v", name, d.Validate())
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestConfigIsUsed wants each field where Grafana reads it.
func TestConfigIsUsed(t *testing.T) {
	zero := newDashboard(t, dash.Config{})
	if *zero.Title != "Liveness and health" || *zero.Uid != "loopvitals" || zero.Templating.List[0].Current != nil {
		t.Errorf("defaults: %s, %s, %v", *zero.Title, *zero.Uid, zero.Templating.List[0].Current)
	}
	prefixed := newDashboard(t, dash.Config{Prefix: "otopcua."})
	if *prefixed.Title != "Liveness and health (otopcua)" || *prefixed.Uid != "loopvitals-otopcua" {
		t.Errorf("with a prefix: %s, %s", *prefixed.Title, *prefixed.Uid)
	}
	named := newDashboard(t, dash.Config{Prefix: "otopcua.", Title: "Loops", UID: "loops", Datasource: "prom-1"})
	if *named.Title != "Loops" || *named.Uid != "loops" || *named.Templating.List[0].Current.Value.String != "prom-1" {
		t.Errorf("named: %s, %s, %v", *named.Title, *named.Uid, *named.Templating.List[0].Current.Value.String)
	}
}

// TestInterval wants the least step wherever an expression looks back, and
// nowhere else: a coarse step would hide what one sample tells.
func TestInterval(t *testing.T) {
	for interval, want := range map[time.Duration]string{
		0: "60s", time.Second: "1s", 90 * time.Second: "90s", 1500 * time.Millisecond: "1500ms",
	} {
		for _, p := range panelsOf(newDashboard(t, dash.Config{Interval: interval})) {
			for _, q := range queriesOf(t, p) {
				got := ""
				if q.Interval != nil {
					got = *q.Interval
				}
				if looksBack := strings.Contains(q.Expr, "[$__rate_interval]"); looksBack && got != want || !looksBack && got != "" {
					t.Errorf("interval %v: %s has step %q", interval, *p.Title, got)
				}
			}
		}
	}
}

// TestVariables wants choices that match everything at first, boards without a
// name included.
func TestVariables(t *testing.T) {
	var names []string
	for _, v := range newDashboard(t, dash.Config{}).Templating.List {
		names = append(names, v.Name)
		if v.Type != dashboard.VariableTypeQuery {
			continue
		}
		if !*v.Multi || !*v.IncludeAll || *v.AllValue != ".*" || *v.Current.Value.String != "$__all" {
			t.Errorf("%s: does not begin with all", v.Name)
		}
		if *v.Definition != *v.Query.String || !strings.HasSuffix(*v.Definition, ", "+v.Name+")") {
			t.Errorf("%s: %s", v.Name, *v.Definition)
		}
	}
	if got := strings.Join(names, " "); got != "datasource job instance board processor" {
		t.Errorf("variables %s", got)
	}
}

func TestWriteErrors(t *testing.T) {
	var b bytes.Buffer
	if err := dash.Write(&b, dash.Config{Prefix: "x"}); err == nil || b.Len() != 0 {
		t.Errorf("wrong prefix: error %v, %d bytes", err, b.Len())
	}
	if err := dash.Write(full{}, dash.Config{}); !errors.Is(err, errFull) {
		t.Errorf("full disk: error %v", err)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
