package redundancy

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDenialNames(t *testing.T) {
	var got []string
	for d := NotDenied; d <= DeniedRoleUnknown+1; d++ {
		got = append(got, d.String())
	}
	if diff := cmp.Diff([]string{"", "secondary", "detached", "role-unknown", "Denial(4)"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// TestDeniedErrorTexts is S4.30.
func TestDeniedErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		err  *DeniedError
		want string
	}{
		{&DeniedError{SiteWrite, DeniedSecondary}, "redundancy: write: not primary"},
		{&DeniedError{SiteAck, DeniedDetached}, "redundancy: ack: not primary"},
		{&DeniedError{SiteAlarmEmit, DeniedRoleUnknown}, "redundancy: alarm-emit: not primary (role unknown)"},
		{&DeniedError{"", DeniedRoleUnknown}, "redundancy: not primary (role unknown)"},
		{&DeniedError{}, "redundancy: not primary"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if !errors.Is(tt.err, ErrNotPrimary) {
			t.Errorf("%v is not ErrNotPrimary", tt.err)
		}
	}
}

// TestDenialCounts: each site has each reason from the start, and nothing else.
func TestDenialCounts(t *testing.T) {
	d := newDenials([]string{SiteWrite, "own"})
	d.count("own", DeniedDetached)
	d.count("own", DeniedDetached)
	d.count(SiteWrite, DeniedRoleUnknown)
	d.count(SiteWrite, NotDenied)
	d.count(SiteWrite, DeniedRoleUnknown+1)
	d.count("a site that is not there", DeniedSecondary)
	want := []DenialCount{
		{SiteWrite, DeniedSecondary, 0},
		{SiteWrite, DeniedDetached, 0},
		{SiteWrite, DeniedRoleUnknown, 1},
		{"own", DeniedSecondary, 0},
		{"own", DeniedDetached, 2},
		{"own", DeniedRoleUnknown, 0},
	}
	if diff := cmp.Diff(want, d.list()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
