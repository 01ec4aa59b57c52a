package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loopvitals/loopvitals/otelbridge/mixin/dash"
)

// TestDefault wants what lies in the repository.
func TestDefault(t *testing.T) {
	want, err := os.ReadFile("../../dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var got, messages bytes.Buffer
	if err := run(nil, &got, &messages); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("error %v, the same as dashboard.json: %v", err, bytes.Equal(got.Bytes(), want))
	}
}

func TestFlags(t *testing.T) {
	var got, want, messages bytes.Buffer
	err := run([]string{
		"-prefix", "otopcua.", "-selector", `cluster="eu-1"`, "-datasource", "prom-1", "-interval", "15s",
		"-runbook", "https://wiki.example/loops", "-title", "Loops", "-uid", "loops",
	}, &got, &messages)
	if err != nil {
		t.Fatal(err)
	}
	if err := dash.Write(&want, dash.Config{
		Prefix: "otopcua.", Selector: `cluster="eu-1"`, Datasource: "prom-1", Interval: 15 * time.Second,
		RunbookURL: "https://wiki.example/loops", Title: "Loops", UID: "loops",
	}); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Error("the flags and the configuration give different dashboards")
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"wrong value":      {[]string{"-prefix", "x"}, "dash: prefix"},
		"unknown flag":     {[]string{"-prefx", "x."}, "not defined"},
		"leftover":         {[]string{"otopcua."}, `argument "otopcua.": takes flags only`},
		"no such interval": {[]string{"-interval", "often"}, "invalid value"},
	} {
		var out, messages bytes.Buffer
		err := run(c.args, &out, &messages)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() != 0 {
			t.Errorf("%s: error %v, want %q; %d bytes", name, err, c.want, out.Len())
		}
	}
}

func TestHelp(t *testing.T) {
	var out, messages bytes.Buffer
	if err := run([]string{"-h"}, &out, &messages); !errors.Is(err, flag.ErrHelp) || !strings.Contains(messages.String(), "-selector") {
		t.Errorf("error %v, messages %s", err, messages.String())
	}
}
