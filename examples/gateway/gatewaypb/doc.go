// Package gatewaypb is the gateway's protocol: gateway.proto, the code generated
// from it, and its first version. `go generate` writes the code anew and needs only
// Go: the compiler and its two plugins are dependencies of the examples.
package gatewaypb

import _ "embed"

//go:generate go run ../protogen gateway.proto

// V1 is the protocol as it was before supervised subscriptions of many items: a
// google.protobuf.FileDescriptorProto in text format. It describes programs that are
// installed somewhere, so it never changes.
//
//go:embed v1.txtpb
var V1 []byte
