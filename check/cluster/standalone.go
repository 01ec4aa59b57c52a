package cluster

import "slices"

// Standalone returns the Source of a node that works alone, on purpose: its gates
// are open and its checks Healthy, whatever the roles they ask for (X2). The
// address is shown by checks and may be empty.
func Standalone(address string, roles ...string) (Source, error) {
	if address != "" {
		canonical, err := ParseAddress(address)
		if err != nil {
			return nil, err
		}
		address = canonical
	}
	if err := ValidateRoles(roles); err != nil {
		return nil, err
	}
	self := Key{Address: address}
	return &standalone{
		view: View{
			State: NotClustered,
			Self:  self,
			// No engine has given an age, so there is no token either.
			Members: []Member{{Key: self, Status: Up, Roles: slices.Clone(roles), Reachable: true}},
		},
		never: make(chan struct{}),
	}, nil
}

type standalone struct {
	BootClock
	view  View
	never chan struct{}
}

func (s *standalone) View() *View              { return &s.view }
func (s *standalone) Changed() <-chan struct{} { return s.never }
