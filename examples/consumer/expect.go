package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// expectation is one thing that a step wants of an answer. got says, in the
// same words, what the answer holds instead; it is "" when all is well.
type expectation struct {
	want string
	got  func(report) string
}

func expect(want string, got func(report) string) expectation { return expectation{want, got} }

// code expects an HTTP status.
func code(c int) expectation {
	return expect(fmt.Sprint("HTTP status ", c), func(r report) string {
		return unless(r.Code == c, "HTTP status %d", r.Code)
	})
}

func ok() expectation { return code(http.StatusOK) }

func unavailable() expectation { return code(http.StatusServiceUnavailable) }

// entry expects a check's status.
func entry(name, status string) expectation {
	return expect(name+" "+status, func(r report) string {
		e, found := r.Entries[name]
		if !found {
			return "no entry " + name
		}
		return unless(e.Status == status, "%s %s", name, e.Status)
	})
}

// says expects words in a check's description.
func says(name, words string) expectation {
	return expect(fmt.Sprintf("%s says “%s”", name, words), func(r report) string {
		text := r.Entries[name].Description
		return unless(strings.Contains(text, words), "%s says “%s”", name, text)
	})
}

// reason expects a processor's verdict to have one of these reasons.
func reason(id string, reasons ...string) expectation {
	return expect(id+" "+strings.Join(reasons, " or "), func(r report) string {
		p, found := r.processor(id)
		if !found {
			return "no processor " + id
		}
		return unless(slices.Contains(reasons, p.Reason), "%s %s", id, p.Reason)
	})
}

// busyFor expects a unit of work that has taken longer than d so far.
func busyFor(id string, d time.Duration) expectation {
	return expect(fmt.Sprintf("%s busy for more than %v", id, d), func(r report) string {
		p, _ := r.processor(id)
		busy := time.Duration(p.BusyMs) * time.Millisecond
		return unless(busy >= d, "%s busy for %v", id, busy)
	})
}

// lagBelow expects a processor to have caught up.
func lagBelow(id string, n float64) expectation {
	return expect(fmt.Sprintf("%s less than %v behind", id, n), func(r report) string {
		p, _ := r.processor(id)
		return unless(p.Lag < n, "%s %v behind", id, p.Lag)
	})
}

// lagAbove expects a processor that is still behind.
func lagAbove(id string, n float64) expectation {
	return expect(fmt.Sprintf("%s more than %v behind", id, n), func(r report) string {
		p, _ := r.processor(id)
		return unless(p.Lag > n, "%s %v behind", id, p.Lag)
	})
}

// faultsOf expects that many faults since the registration.
func faultsOf(id string, n float64) expectation {
	return expect(fmt.Sprintf("%s with faults = %v", id, n), func(r report) string {
		p, _ := r.processor(id)
		return unless(p.Faults == n, "%s with faults = %v", id, p.Faults)
	})
}

// absent expects no such processor.
func absent(id string) expectation {
	return expect("no "+id, func(r report) string {
		_, found := r.processor(id)
		return unless(!found, "%s is there", id)
	})
}

// working are the reasons of a loop that works as it should.
var working = []string{"running", "idle", "busy"}

// works expects all these processors to work.
func works(ids ...string) expectation {
	return expect(strings.Join(ids, " + ")+" at work", func(r report) string {
		for _, id := range ids {
			if got := reason(id, working...).got(r); got != "" {
				return got
			}
		}
		return ""
	})
}

func unless(holds bool, format string, args ...any) string {
	if holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
