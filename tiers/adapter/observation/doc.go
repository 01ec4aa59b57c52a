// Package observation is what a node says about itself to whoever has to answer
// for it: one JSON document, versioned, in which every field is required and
// nothing else may appear. A loopback adapter samples it, see package adapter; a
// node serves it, see package node.
//
// A field that a node cannot tell is not left out: it says so, by a result other
// than "succeeded", or by available, complete, live, ready, healthy or owner
// being false. What is missing, unknown, repeated, too deep or too large makes
// the whole document unreadable, since half an observation is none (S2.3).
//
// schema.json, which Schema returns, is the same form as a JSON Schema.
package observation
