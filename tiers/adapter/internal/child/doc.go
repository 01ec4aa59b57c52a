// Package child runs one command at a time under a time limit and an output
// limit, and leaves nothing of it behind.
//
// On Linux a run is one goroutine, the caller's, in one poll over the command's
// output, its death and the request to stop. The command gets a process group of
// its own, which is killed before the command is reaped, after a success as well:
// until then its number cannot go to a stranger. It dies with its parent. With
// [Config.Subreaper] what left the group (setsid, a double fork) is found, killed
// and reaped, too.
//
// # What it cannot do
//
// A process in uninterruptible sleep cannot be killed by anybody. The wait for a
// death is therefore bounded, the error tells how many are left, and no further
// command is started before they are gone. They are reaped by the next
// [Runner.Run]; after [Runner.Stop] that is left to the end of this process.
//
// Without [Config.Subreaper], what left the group lives on. With it, the processes
// of the command are found in /proc, which must be mounted and show this process's
// own namespace.
//
// When the parent is killed by SIGKILL, the command dies with it, but what the
// command has started lives on, unless the parent was the first process of a
// container, or whoever supervises it kills its control group. A command that is
// set-user-ID, set-group-ID or has file capabilities loses the death signal at
// its start, by a rule of the kernel.
//
// A command on a file system that does not answer holds up [Runner.Run] while it
// is being started; no signal helps there either.
//
// # Other systems
//
// Elsewhere the command runs under os/exec, with these differences: goroutines of
// os/exec read the output and watch the limit; nothing kills the command when its
// parent is killed; its group is killed after a success only once the command is
// reaped; those who hold its output open are waited for, 300 ms; the wait for a
// command that cannot be killed has no bound; [Config.Subreaper] is refused. Without
// process groups, as on Windows, only the command itself is killed.
package child
