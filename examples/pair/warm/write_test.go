package warm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/loopvitals/loopvitals/examples/pair/device"
	"github.com/loopvitals/loopvitals/examples/pair/space"
)

// fake is a device that does as it is told.
type fake struct {
	advise   error
	statuses []string
	write    error
	did      []string
}

func (f *fake) Advise(_ context.Context, token uint64, item string) error {
	f.did = append(f.did, fmt.Sprintf("advise %s %d", item, token))
	return f.advise
}

func (f *fake) Write(_ context.Context, token uint64, item, value string) ([]string, error) {
	f.did = append(f.did, fmt.Sprintf("write %s=%s %d", item, value, token))
	return f.statuses, f.write
}

func TestWrite(t *testing.T) {
	const advised, written = "advise valve 7", "write valve=on 7"
	for _, c := range []struct {
		name                    string
		device                  fake
		want                    Outcome
		did                     []string
		adviseFails, unconfirms int64
	}{
		{
			name: "good", device: fake{statuses: []string{"Good"}},
			want: Outcome{Status: "Good", Confirmed: true}, did: []string{advised, written},
		},
		{
			name: "no status is good, and counted", device: fake{statuses: []string{}},
			want: Outcome{Status: "Good"}, did: []string{advised, written}, unconfirms: 1,
		},
		{
			name: "without a precondition nothing is issued", device: fake{advise: errors.New("offline")},
			want: Outcome{Status: "BadCommunicationError"}, did: []string{advised}, adviseFails: 1,
		},
		{
			name: "the token is too old", device: fake{advise: device.ErrStale},
			want: Outcome{Status: "BadInvalidState"}, did: []string{advised}, adviseFails: 1,
		},
		{
			name: "the write fails, and is not tried again", device: fake{write: errors.New("offline")},
			want: Outcome{Status: "BadCommunicationError"}, did: []string{advised, written},
		},
		{
			name: "the device says that it is bad", device: fake{statuses: []string{"BadOutOfService"}},
			want: Outcome{Status: "BadOutOfService", Confirmed: true}, did: []string{advised, written},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			counters, read := measured(t)
			p := &writePath{device: &c.device, counters: counters, log: slog.New(slog.DiscardHandler)}
			got := p.write(t.Context(), 7, "valve", "on")
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if diff := cmp.Diff(c.did, c.device.did); diff != "" {
				t.Errorf("the device was told -want +got:\n%s", diff)
			}
			values := read()
			if a, u := values["galaxy.writes.advise_failed {write}"], values["galaxy.writes.unconfirmed {write}"]; a != c.adviseFails || u != c.unconfirms {
				t.Errorf("counted %d and %d, want %d and %d", a, u, c.adviseFails, c.unconfirms)
			}
		})
	}
}

// measured returns counters, and what reads them: by name, attributes and unit.
func measured(t *testing.T) (*counters, func() map[string]int64) {
	t.Helper()
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	c, err := newCounters(provider)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() map[string]int64 {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		values := map[string]int64{}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
					kind, _ := point.Attributes.Value(attribute.Key("kind"))
					values[m.Name+kind.AsString()+" "+m.Unit] = point.Value
				}
			}
		}
		return values
	}
}

func TestCountersAreThereFromTheStart(t *testing.T) {
	c, read := measured(t)
	want := map[string]int64{
		"galaxy.writes.advise_failed {write}":       0,
		"galaxy.writes.unconfirmed {write}":         0,
		"otopcua.opcua.apply.failedrebuild {apply}": 0,
		"otopcua.opcua.apply.failednodes {apply}":   0,
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c.applyFailed(space.FailedNodes)
	want["otopcua.opcua.apply.failednodes {apply}"] = 1
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestMetersAreTheirOwn(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	if _, err := newCounters(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))); err != nil {
		t.Fatal(err)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var meters []string
	for _, scope := range all.ScopeMetrics {
		meters = append(meters, scope.Scope.Name)
	}
	slices.Sort(meters)
	if diff := cmp.Diff([]string{spaceMeter, writeMeter}, meters); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
