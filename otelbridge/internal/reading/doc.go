// Package reading is what every exporter of this repository reads before it
// tells anything: one pass over the boards of all monitors, with the verdicts,
// over the tiers and checks as they were asked last, and over the state of a
// redundancy node. It judges nothing and runs nothing.
//
// Exporters differ in what they prepare for a processor, a check or a series,
// such as its attribute sets or its escaped labels. Those are the type parameters
// of a Reader, made once and kept for as long as what they are for is there.
package reading
