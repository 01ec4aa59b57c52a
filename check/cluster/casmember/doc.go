// Package casmember keeps the membership of a cluster in any store that can
// compare and set.
package casmember
