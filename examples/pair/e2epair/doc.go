// Command e2epair takes the warm pair of examples/pair through everything that can
// become of it: real processes with a real NATS and a real PostgreSQL, of which one
// after the other is killed, cut off or taken away. It prints what it measured, and
// exits with status 1 when anything was not as it must be.
//
//	go run ./pair/e2epair        a minute and a half, the first time more
//
// How it sees: every node notes each 2 ms what level it shows and whether its gate
// for writes is open, by the boot clock of the one kernel, so that two nodes that
// showed the same at once are seen as spans of time that overlap. Clients ask for
// the level over HTTP and try to write to both nodes all the time. The device
// remembers every operation with its token. At the end all alarms are computed again
// from the input, and compared with what was emitted and recorded.
//
// It starts itself again for every process, and leaves none behind. Linux only. The
// server programs of PostgreSQL must be installed, such as by Debian's package
// postgresql.
package main
