// Package reading is what every exporter of this repository reads before it
// tells anything: one pass over the boards of all monitors, with the verdicts,
// and over the tiers and checks as they were asked last. It judges nothing and
// runs nothing.
//
// Exporters differ in what they prepare for a processor or a check, such as its
// attribute sets or its escaped labels. That is the type parameter of a Reader,
// made once and kept for as long as the processor or the check is there.
package reading
