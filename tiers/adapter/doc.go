// Package adapter answers HTTP probes on a loopback address for a node whose
// truth is behind an authenticated command. It runs that command again and again
// and answers from what the last run said, so long as that is young enough: its
// own survival never covers for a node that is gone (S2.12).
//
// The command prints a document of package observation.
package adapter
