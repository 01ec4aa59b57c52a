package loopback

import (
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// none is the descriptor of what is not open. Poll skips it.
const none = -1

// socketBuffer bounds what the kernel holds for a connection in either direction,
// in bytes. It is more than a head or a reply needs.
const socketBuffer = 8 << 10

// listenOn binds addr and listens, and returns the address that was bound.
func listenOn(addr netip.AddrPort) (fd int, bound netip.AddrPort, err error) {
	family := unix.AF_INET
	if addr.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return none, netip.AddrPort{}, err
	}
	if bound, err = bind(fd, addr); err != nil {
		closeAll(fd)
		return none, netip.AddrPort{}, err
	}
	return fd, bound, nil
}

// bind makes fd a listener. The address may be taken over from connections of an
// earlier process that the kernel still remembers, not from another listener.
func bind(fd int, addr netip.AddrPort) (netip.AddrPort, error) {
	options := [...]struct{ level, name, value int }{
		{unix.SOL_SOCKET, unix.SO_REUSEADDR, 1},
		{unix.SOL_SOCKET, unix.SO_RCVBUF, socketBuffer}, // accepted sockets inherit both
		{unix.SOL_SOCKET, unix.SO_SNDBUF, socketBuffer},
	}
	for _, o := range options {
		if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return netip.AddrPort{}, err
		}
	}
	if err := unix.Bind(fd, sockaddr(addr)); err != nil {
		return netip.AddrPort{}, err
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return netip.AddrPort{}, err
	}
	own, err := unix.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return addrPort(own), nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
}

// addrPort returns the zero value for an address that is neither IPv4 nor IPv6.
func addrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// closeAll closes descriptors that this package opened. There is nobody to tell
// of an error, and the descriptor is gone in any case.
func closeAll(fds ...int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// makeRuntimePoller has Go's runtime make the poller that it needs for files, now.
// It would make it with the first file that anything in this process opens, and
// end the process if there are no descriptors for it then. This engine does not
// use it, so nothing else may have done so yet. (A11)
func makeRuntimePoller() {
	var probe [3]reserve // the file, an epoll and an eventfd
	enough := true
	for i := range probe {
		probe[i] = none
		probe[i].take()
		enough = enough && probe[i] != none
	}
	for i := range probe {
		probe[i].give()
	}
	if !enough {
		return
	}
	if f, err := os.Open(os.DevNull); err == nil {
		_ = f.Close()
	}
}

// reserve is a descriptor that is kept open for nothing but to be closed when one
// is needed.
type reserve int

// take opens the reserve again if it was given away and there is a descriptor.
func (r *reserve) take() {
	if *r != none {
		return
	}
	if fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0); err == nil {
		*r = reserve(fd)
	}
}

// give closes the reserve, and tells whether there was one.
func (r *reserve) give() bool {
	if *r == none {
		return false
	}
	closeAll(int(*r))
	*r = none
	return true
}
