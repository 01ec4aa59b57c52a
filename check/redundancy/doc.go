// Package redundancy is what two or more warm nodes need so that clients prefer
// the right one and a standby never touches what they share.
package redundancy
