//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loopvitals/loopvitals/examples/pair/e2e/process"
)

// device name of a cabled node's own end.
const cableEnd = "pair0"

// cable connects a node that has a network namespace of its own with this one.
// The namespace belongs to the process: when that ends, in whatever way, the
// kernel removes it and both ends of the cable with it.
type cable struct {
	name string // of this end
	here string // address of this end
	node string // address of the node's end
}

// newCable has addresses that are set aside for tests of networks (RFC 2544), and
// are told apart by stage and node.
func newCable(stage, node int) cable {
	net := fmt.Sprintf("198.18.%d.", (os.Getpid()%100)*2+stage)
	return cable{
		name: fmt.Sprintf("pair%d-%d%d", os.Getpid()%100000, stage, node),
		here: net + strconv.Itoa(4*node+1),
		node: net + strconv.Itoa(4*node+2),
	}
}

// plug lays the cable to the process, which waits for its end to appear.
func (c cable) plug(pid int) error {
	if err := ip("link", "add", c.name, "type", "veth", "peer", "name", cableEnd, "netns", strconv.Itoa(pid)); err != nil {
		return err
	}
	if err := ip("address", "add", c.here+"/30", "dev", c.name); err != nil {
		return err
	}
	return c.join()
}

func (c cable) pull() error { return ip("link", "set", c.name, "down") }
func (c cable) join() error { return ip("link", "set", c.name, "up") }

// guard keeps packets for a node whose cable is pulled from taking another way
// out of this machine.
func guard(stage int) (lift func(), err error) {
	c := newCable(stage, 0)
	prefix := c.here[:strings.LastIndexByte(c.here, '.')] + ".0/24"
	if err := ip("route", "replace", "blackhole", prefix, "metric", "4242"); err != nil {
		return nil, err
	}
	return func() { _ = ip("route", "del", "blackhole", prefix, "metric", "4242") }, nil
}

func ip(args ...string) error {
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// ownNetwork puts a child into a namespace of its own.
func ownNetwork() syscall.SysProcAttr { return syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET} }

// noCables says why network namespaces cannot be had here, or nothing.
func noCables() string {
	if os.Geteuid() != 0 {
		return "needs root"
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return "needs the command ip"
	}
	trial := exec.Command("ip", "link", "add", cableEnd, "type", "veth", "peer", "name", cableEnd+"x")
	trial.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if out, err := trial.CombinedOutput(); err != nil {
		return fmt.Sprintf("this machine gives no network namespaces: %v %s", err, strings.TrimSpace(string(out)))
	}
	return ""
}

// awaitNetwork configures the node's end of the cable, once it is there. Without
// a prefix the node is in the common network.
func awaitNetwork(ctx context.Context, prefix string) error {
	if prefix == "" {
		return nil
	}
	if err := process.Poll(ctx, 10*time.Second, 2*time.Millisecond, func() bool {
		_, err := net.InterfaceByName(cableEnd)
		return err == nil
	}); err != nil {
		return fmt.Errorf("%s: %w", cableEnd, err)
	}
	for _, args := range [][]string{
		{"address", "add", prefix, "dev", cableEnd},
		{"link", "set", cableEnd, "up"},
		{"link", "set", "lo", "up"},
	} {
		if err := ip(args...); err != nil {
			return err
		}
	}
	return nil
}
