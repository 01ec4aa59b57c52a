package redundancy

import (
	"slices"
	"sync/atomic"
)

// denials counts what the primary gate has denied, by site and reason. All are
// there from the start, with 0 (S4.42).
type denials struct {
	sites  []string
	counts [][denialCount]atomic.Uint64 // by site
}

func newDenials(sites []string) *denials {
	return &denials{sites: slices.Clone(sites), counts: make([][denialCount]atomic.Uint64, len(sites))}
}

// count adds one denial at a site. What is not listed is not counted.
func (d *denials) count(site string, why Denial) {
	if i := slices.Index(d.sites, site); i >= 0 && int(why) < denialCount {
		d.counts[i][why].Add(1)
	}
}

// list returns the counts, by site and then by reason as they are declared.
func (d *denials) list() []DenialCount {
	all := make([]DenialCount, 0, len(d.sites)*(denialCount-1))
	for i, site := range d.sites {
		for why := NotDenied + 1; int(why) < denialCount; why++ {
			all = append(all, DenialCount{site, why, d.counts[i][why].Load()})
		}
	}
	return all
}
