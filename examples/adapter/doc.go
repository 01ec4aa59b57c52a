// Command adapter runs the loopback adapter beside the example consumer, as real
// processes, and does to them what goes wrong in the field: the node stops, dies,
// comes back as another life, loses its state, is full; the adapter is frozen,
// crowded, killed, and told to stop while its command hangs. After each step it asks
// all three endpoints, with GET and with HEAD, and runs `loopvitals probe` against
// them. It needs Linux.
//
//	cd examples && go run ./adapter
//
// The last line is "e2e-adapter: ok", or what was wrong. The other files are what
// the two are deployed with:
//
//	adapter.json                                  the adapter's configuration
//	pod.yaml, pod-hostnetwork.yaml                Kubernetes
//	consumer.service, consumer-adapter.service    systemd
//	Dockerfile                                    an image with nothing else in it
package main
