package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// instruction is a line of a Dockerfile.
type instruction struct{ name, rest string }

// readImage returns the instructions of the stages.
func readImage(t *testing.T) (stages [][]instruction) {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	must(t, err)
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "", strings.HasPrefix(name, "#"):
			continue
		case !slices.Contains([]string{"FROM", "WORKDIR", "COPY", "ENV", "RUN", "USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"}, name):
			t.Fatalf("instruction %q", line)
		case name == "FROM":
			stages = append(stages, nil)
		}
		last := len(stages) - 1
		stages[last] = append(stages[last], instruction{name, strings.TrimSpace(rest)})
	}
	return stages
}

// TestImageHasNothingElse is built from nothing, for a user that is not root.
func TestImageHasNothingElse(t *testing.T) {
	stages := readImage(t)
	image := stages[len(stages)-1]
	if image[0] != (instruction{"FROM", "scratch"}) {
		t.Errorf("the image begins with %v", image[0])
	}
	health := flagsOf(t, imageArgs(t, image, "CMD"))["serve"]
	seen := map[string]int{}
	for _, i := range image {
		seen[i.name]++
		switch i.name {
		case "RUN":
			t.Error("there is no shell to run anything with")
		case "COPY":
			if !strings.HasPrefix(i.rest, "--from=build ") {
				t.Errorf("COPY %s: must be from the stage that builds", i.rest)
			}
		case "USER":
			if user, _, _ := strings.Cut(i.rest, ":"); user == "root" || user == "0" {
				t.Errorf("USER %s", i.rest)
			}
		case "HEALTHCHECK":
			_, line, found := strings.Cut(i.rest, " CMD ")
			if !found || !strings.Contains(i.rest, "--timeout=3s") {
				t.Errorf("HEALTHCHECK %s", i.rest)
			}
			askedBy(t, words(t, line), health, "/health/ready")
		}
	}
	for _, name := range []string{"USER", "HEALTHCHECK", "ENTRYPOINT", "CMD"} {
		if seen[name] != 1 {
			t.Errorf("%s is there %d times", name, seen[name])
		}
	}
	if line := imageArgs(t, image, "ENTRYPOINT"); !slices.Equal(line, []string{consumerPath}) {
		t.Errorf("ENTRYPOINT %q", line)
	}
}

// TestImageBuildsBoth names the packages that this module can build.
func TestImageBuildsBoth(t *testing.T) {
	for _, i := range readImage(t)[0] {
		if i.name == "RUN" && strings.Contains(i.rest, "go build") {
			if !strings.HasSuffix(i.rest, " -o /out/ ./consumer "+commandPackage) {
				t.Errorf("RUN %s", i.rest)
			}
			return
		}
	}
	t.Error("nothing is built")
}

// imageArgs are the words of an instruction in its exec form.
func imageArgs(t *testing.T, image []instruction, name string) []string {
	t.Helper()
	for _, i := range image {
		if i.name == name {
			return words(t, i.rest)
		}
	}
	t.Fatalf("no %s", name)
	return nil
}

func words(t *testing.T, text string) (all []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%s: must be in the exec form, since there is no shell: %v", text, err)
	}
	return all
}
