// Command e2e shows what becomes of the active node of examples/pair when things
// go wrong: on real processes that are killed, stopped and cut off, with a real
// NATS and a real etcd. It prints what it measured, and exits with status 1 if two
// nodes were active at once, a stale write was accepted, a node that came back was
// not the youngest, or a hand-over took too long.
//
//	go run ./pair/e2e                                 all faults, 6 rounds each, 8 minutes
//	go run ./pair/e2e -rounds 1                       2 minutes
//	go run ./pair/e2e -only "cut off" -engine etcd    some of them
//
// How it sees: every node notes each millisecond whether its gate is open, and
// each 20 whether its GET /health/active is answered with 200, in a file that is
// mapped into memory, which a kill -9 leaves as it was. All go by the boot clock of
// the one kernel, so two processes that were active at once show as two spans of
// time that overlap; what is shorter than a look can be missed. A device notes all writes with their
// tokens. That this sees what it should is shown by a control, whose gate is the
// Session of etcd's own client: there two nodes are active at once.
//
// It starts itself again for every process, and leaves none behind; if it is
// killed itself, a folder of temporary files and a route to nowhere remain. Linux
// only. To pull a cable it needs network namespaces, and so root; without, that
// fault is left out.
package main
