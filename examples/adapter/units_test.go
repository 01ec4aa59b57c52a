package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// unit is a systemd unit as section/key and values in their order.
type unit map[string][]string

func readUnit(t *testing.T, file string) unit {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	all, section := unit{}, ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		key, value, assigned := strings.Cut(line, "=")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case assigned && section != "":
			all[section+"/"+key] = append(all[section+"/"+key], value)
		default:
			t.Errorf("%s: %q", file, line)
		}
	}
	return all
}

// one is the value of a key that is there once.
func (u unit) one(t *testing.T, key string) string {
	t.Helper()
	if len(u[key]) != 1 {
		t.Errorf("%s is there %d times: must be once", key, len(u[key]))
		return ""
	}
	return u[key][0]
}

// TestUnitsLiveTogether has the adapter begin and end with the node (S2.19).
func TestUnitsLiveTogether(t *testing.T) {
	consumer, adapter := readUnit(t, "consumer.service"), readUnit(t, "consumer-adapter.service")
	for key, want := range map[string]string{"Unit/BindsTo": "consumer.service", "Unit/PartOf": "consumer.service", "Unit/After": "consumer.service"} {
		if got := adapter.one(t, key); got != want {
			t.Errorf("the adapter's %s=%s: must be %s", key, got, want)
		}
	}
	if got := consumer.one(t, "Unit/Upholds"); got != "consumer-adapter.service" {
		t.Errorf("the consumer upholds %q", got)
	}
	if len(adapter["Install/WantedBy"]) > 0 {
		t.Error("the adapter can be enabled without its node")
	}
	if got := consumer.one(t, "Service/RuntimeDirectory"); socketPath != "/run/"+got+"/observe.sock" {
		t.Errorf("the consumer's folder is /run/%s: must be that of %s", got, socketPath)
	}
	if got := consumer.one(t, "Service/StateDirectory"); statePath != "/var/lib/"+got+"/clock" {
		t.Errorf("the consumer's state is in /var/lib/%s: must be that of %s", got, statePath)
	}
}

// TestUnitsAreClosed looks at what a unit must not be allowed.
func TestUnitsAreClosed(t *testing.T) {
	users := map[string]bool{}
	for _, file := range []string{"consumer.service", "consumer-adapter.service"} {
		u := readUnit(t, file)
		for key, want := range map[string]string{
			"Service/Type":                  "exec",
			"Service/Restart":               "always",
			"Service/KillMode":              "mixed",
			"Service/NoNewPrivileges":       "yes",
			"Service/CapabilityBoundingSet": "",
			"Service/ProtectSystem":         "strict",
			"Service/ProtectHome":           "yes",
			"Service/PrivateTmp":            "yes",
			"Service/PrivateDevices":        "yes",
			"Service/UMask":                 "0077",
		} {
			if got := u.one(t, key); got != want {
				t.Errorf("%s: %s=%s: must be %s", file, key, got, want)
			}
		}
		for _, key := range []string{"Service/MemoryMax", "Service/TasksMax", "Service/TimeoutStopSec", "Service/SystemCallFilter"} {
			u.one(t, key)
		}
		users[u.one(t, "Service/User")] = true
	}
	if len(users) != 1 || users["root"] || users[""] {
		t.Errorf("the users are %v: must be one, since the socket is for its owner only", users)
	}
}

// TestUnitsStartWhatIsThere compares the command lines with adapter.json.
func TestUnitsStartWhatIsThere(t *testing.T) {
	config := readAdapter(t)
	line := strings.Fields(readUnit(t, "consumer.service").one(t, "Service/ExecStart"))
	if line[0] != consumerPath {
		t.Errorf("%q: must run %s", line, consumerPath)
	}
	compareFlags(t, config, line[1:])
	line = strings.Fields(readUnit(t, "consumer-adapter.service").one(t, "Service/ExecStart"))
	if want := []string{config.Command[0], "adapter", "--config", configPath}; !slices.Equal(line, want) {
		t.Errorf("%q: must be %q", line, want)
	}
	// The line is one that the command understands: all that it lacks is the file.
	line[3] = t.TempDir() + "/missing.json"
	if exit, said := runs(t, line); exit != 2 || !strings.Contains(said, "missing.json") {
		t.Errorf("exit %d: %s", exit, said)
	}
}
