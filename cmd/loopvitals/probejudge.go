package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"

	"github.com/loopvitals/loopvitals/check"
)

// judge is what an attempt means: a response, or the error in its place.
func judge(code int, body []byte, err error) answer {
	a := answer{Code: code, Exit: exitUsage}
	switch {
	case err != nil:
		a.Error = oneLine(explain(err))
	case code == http.StatusServiceUnavailable:
		a.Status, a.Exit = check.Unhealthy.String(), exitFailed
	case code != http.StatusOK:
		a.Error = fmt.Sprintf("status %d: %s", code, advice(code))
	default:
		switch status := statusOf(body); status {
		case check.Healthy.String(), check.Degraded.String():
			a.Status, a.Exit = status, exitOK
		case check.Unhealthy.String():
			a.Status, a.Exit = status, exitFailed
		default:
			a.Error = "status 200, but no health report: is this the right address?"
		}
	}
	return a
}

// statusOf returns the status field of a health report, or nothing.
func statusOf(body []byte) (status string) {
	var fields map[string]json.RawMessage // not a struct, which would take Status, too
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields["status"], &status) != nil {
		return ""
	}
	return status
}

// advice says what to do about a status that is no answer.
func advice(code int) string {
	switch {
	case code == http.StatusNotFound:
		return "nothing is served there: is the tier mounted, and is this the right address?"
	case code == http.StatusMisdirectedRequest:
		return "an adapter takes only the host that it was configured with: use its address, such as 127.0.0.1:8099"
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "must be answered without a login: probe the health endpoint itself"
	case code >= 300 && code <= 399:
		return "a redirect is not followed: probe the address that it leads to"
	default:
		return "must be 200 or 503: is this the right address?"
	}
}

// errTooLong is a body over the bound.
var errTooLong = fmt.Errorf("a body of more than %d bytes is no health report: is this the right address?", maxBody)

// explain says why there is no response.
func explain(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: nothing listens there"
	case errors.Is(err, syscall.ENOENT):
		return "no such socket: is the process running?"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the answer broke off: is this the right address?"
	}
	return err.Error()
}
