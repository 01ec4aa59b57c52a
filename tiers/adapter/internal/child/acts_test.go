package child

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// acts are the ways in which a command behaves. Each ends with status 0 when its
// function returns.
var acts = map[string]func(parameters []string){
	"print":   func([]string) { say("fine\n") },
	"nothing": func([]string) {},
	"hang":    func([]string) { hang() },
	"exit":    func(p []string) { say(`{"half":`); leave(number(p[0])) },

	"ignore signals": func([]string) {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		hang()
	},
	"print much": func(p []string) { _, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), number(p[0]))) },
	"flood": func([]string) {
		block := bytes.Repeat([]byte("flood "), 4<<10)
		for {
			_, _ = os.Stdout.Write(block)
		}
	},
	"flood errors": func([]string) {
		block := bytes.Repeat([]byte("flood "), 4<<10)
		for {
			_, _ = os.Stderr.Write(block)
		}
	},
	"print errors": func([]string) {
		_, _ = os.Stderr.Write(bytes.Repeat([]byte("error "), 1<<20))
		say("fine\n")
	},
	"close and hang": func([]string) { say("half"); _ = os.Stdout.Close(); hang() },
	"close and exit": func([]string) { _ = os.Stdout.Close(); time.Sleep(30 * time.Millisecond) },
	"dribble": func([]string) {
		for {
			say(".")
			time.Sleep(2 * time.Millisecond)
		}
	},
	"dribble for": func(p []string) {
		for range number(p[0]) {
			say(".")
			time.Sleep(time.Millisecond)
		}
	},
}

func say(text string) { _, _ = os.Stdout.WriteString(text) }

// leave ends the process at once. The race detector would keep it for a second.
func leave(status int) { syscall.Exit(status) }

// hang waits for longer than any test, and not for ever, should it be forgotten.
func hang() { time.Sleep(5 * time.Minute) }

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}
