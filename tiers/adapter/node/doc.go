// Package node is a node's side of the loopback adapter: it makes observations of
// this process and serves them on a unix socket to whoever has the token, and
// nothing over TCP.
//
// # Usage
//
//	in, err := node.NewIngress(node.Limits{Exchanges: 100}, "public")
//	public, err := in.Listener("public", "api", listener)
//	server, err := node.Listen(node.Config{
//		Socket:    "/run/orders/vitals.sock",
//		TokenFile: "/etc/orders/token",
//		Source: node.Source{
//			Node:    "orders-1",
//			Healthy: monitor.Wedged(0),
//			Owner:   node.Holds(lock.Held),
//			Ready:   node.Tier(health, tiers.Ready),
//			Ingress: in,
//		},
//	})
//	go server.Serve(ctx)
//	http.Serve(public, in.Handler(mux))
//
// The command "loopvitals observe" asks for the document by Observe.
//
// # Guarantees
//
//  1. A document is answered within a second, whatever the facts do: one that
//     panics, ends its goroutine or hangs is false, and fails the document. A fact
//     that hangs costs one goroutine, however many ask.
//  2. A fact is asked by one at a time. All who ask meanwhile share the answer, and
//     a client that leaves ends nothing but its own wait.
//  3. The document's age is that of the oldest yes in it, from the start of the look
//     that found it, on the monotonic clock. A no is never too old to be believed.
//  4. The socket has mode 0600 from the moment that it exists (on Linux), and a
//     request without the token is told nothing, not even which paths there are.
//  5. No text of the application is ever sent: neither a Description nor an error.
package node
