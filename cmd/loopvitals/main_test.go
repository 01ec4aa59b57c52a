package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary plays other programs, so that none must be compiled: the one that
// this variable names.
const playVariable = "LOOPVITALS_TEST_PLAYS"

var plays = map[string]func(){
	"loopvitals": func() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) },
	"healthy":    func() { fmt.Println(healthyDocument) },
	"hung":       func() { time.Sleep(time.Hour) },
}

func TestMain(m *testing.M) {
	if play, ok := plays[os.Getenv(playVariable)]; ok {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}

// healthyDocument is what a node prints that lacks nothing.
const healthyDocument = `{"version":"loopvitals.observation/1",` +
	`"identity":{"node":"node-a","instance":"life-1"},"result":"succeeded",` +
	`"sampled":{"at":"2026-11-30T10:00:00Z","ageMs":0},"pressure":{"available":true},` +
	`"inventory":{"complete":true,"listeners":[{"name":"public","address":"127.0.0.1:8080","owner":"api","live":true}]},` +
	`"capacity":{"connections":{"inUse":0,"limit":1},"exchanges":{"inUse":0,"limit":1},"buffers":{"inUse":0,"limit":1}},` +
	`"activation":{"ready":true},"native":{"healthy":true,"owner":true}}`
