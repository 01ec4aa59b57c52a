package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// control answers POST /demo/…: the knobs to play with. An application has
// nothing like it, and would not want it on the address of its health
// endpoints.
//
//	POST /demo/wedge?processor=ID     the next unit of work hangs, ignoring its context
//	POST /demo/freeze?processor=ID    the loop hangs between two units of work; those that poll
//	POST /demo/release?processor=ID   what hangs goes on
//	POST /demo/fault?processor=ID     the next unit of work panics
//	POST /demo/restart?processor=ID   the supervisor restarts a faulted processor
//	POST /demo/standby?processor=ID   the processor stands by; audit hands its lease over
//	POST /demo/resume?processor=ID    and takes it up again
//	POST /demo/lag?processor=ID&n=N   N is reported as the lag; without n the real one again
//	POST /demo/db-down, /demo/db-up   the database goes away, and comes back
type control struct {
	knobs map[string]knobs // by processor key
	db    *database
}

// knobs are what can be done to one processor.
type knobs struct {
	hand                     *hand
	polls                    bool // the loop reads its own lag, once a turn
	faulted                  func() bool
	restart, standby, resume func() error
}

// answer is the body of every reply.
type answer struct {
	OK        bool   `json:"ok"`
	Processor string `json:"processor,omitempty"`
	Done      string `json:"done,omitempty"`
	Error     string `json:"error,omitempty"`
}

var (
	errUnknownAction    = errors.New("unknown action")
	errUnknownProcessor = errors.New("unknown processor")
	errBadNumber        = errors.New("n must be a whole number")
	errNoPolling        = errors.New("does not poll: only orders and audit hang between two units of work")
	errFaulted          = errors.New("is faulted: only a restart gets it out of that")
)

func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		reply(w, http.StatusMethodNotAllowed, answer{Error: "use POST"})
		return
	}
	key := r.URL.Query().Get("processor")
	done, err := c.do(strings.TrimPrefix(r.URL.Path, "/demo/"), key, r.URL.Query()["n"])
	switch {
	case err == nil:
		reply(w, http.StatusOK, answer{OK: true, Processor: key, Done: done})
	case errors.Is(err, errUnknownAction), errors.Is(err, errUnknownProcessor):
		reply(w, http.StatusNotFound, answer{Error: err.Error()})
	case errors.Is(err, errBadNumber):
		reply(w, http.StatusBadRequest, answer{Processor: key, Error: err.Error()})
	default: // the processor is in no state for it
		reply(w, http.StatusConflict, answer{Processor: key, Error: err.Error()})
	}
}

// do returns what was done, in plain words.
func (c *control) do(action, key string, n []string) (string, error) {
	switch action {
	case "db-down":
		return "the database is away", c.db.goAway()
	case "db-up":
		return "the database is back", c.db.comeBack()
	case "wedge", "freeze", "release", "fault", "restart", "standby", "resume", "lag":
	default:
		return "", fmt.Errorf("%w %q", errUnknownAction, action)
	}
	k, ok := c.knobs[key]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(c.knobs)), ", ")
		return "", fmt.Errorf("%w %q: there are %s", errUnknownProcessor, key, known)
	}
	switch action {
	case "fault", "standby", "resume":
		if k.faulted() {
			return "", fmt.Errorf("%s %w", key, errFaulted)
		}
	}
	switch action {
	case "wedge":
		k.hand.hang()
		return "the next unit of work hangs until it is released", nil
	case "freeze":
		if !k.polls {
			return "", fmt.Errorf("%s %w", key, errNoPolling)
		}
		k.hand.freeze()
		return "the loop hangs before its next beat, until it is released", nil
	case "release":
		k.hand.release()
		return "what hung goes on", nil
	case "fault":
		k.hand.fault()
		return "the next unit of work panics", nil
	case "restart":
		return "a new incarnation begins", k.restart()
	case "standby":
		return "the processor stands by", k.standby()
	case "resume":
		return "the processor goes on", k.resume()
	default:
		return setLag(k.hand, n)
	}
}

func setLag(h *hand, n []string) (string, error) {
	if len(n) == 0 {
		h.setLag(nil)
		return "the real lag is reported again", nil
	}
	lag, err := strconv.ParseInt(n[0], 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w, not %q", errBadNumber, n[0])
	}
	h.setLag(&lag)
	return fmt.Sprintf("a lag of %d is reported", lag), nil
}

func reply(w http.ResponseWriter, code int, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(a) // the client may be gone: its loss
}
