// Package adapter answers HTTP probes on a loopback address for a node whose
// truth is behind an authenticated command. It runs that command again and again
// and answers from what the last run said, so long as that is young enough: its
// own survival never covers for a node that is gone (S2.12).
//
// The command prints a document of package observation; "loopvitals observe" is one,
// and the command "loopvitals adapter" is this package with a configuration file.
//
//	config, err := adapter.ReadConfig("/etc/orders/adapter.json")
//	a, err := adapter.New(config, adapter.WithLogger(logger))
//	err = a.Run(ctx) // samples and answers until ctx ends
//
// What is 200, for each of the three paths, and why, is in docs/adapter.md.
package adapter
