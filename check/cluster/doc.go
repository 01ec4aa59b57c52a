// Package cluster tells which node of a cluster is the active one, and whether a
// node is a member in good standing. It is rules only: who the members are comes
// from a Source.
package cluster
