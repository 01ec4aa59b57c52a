package mixin_test

import (
	"fmt"

	"github.com/loopvitals/loopvitals/otelbridge/mixin"
)

// Rules for one job are made in a program, to be written to a file or to be
// changed further.
func Example() {
	rules, err := mixin.New(mixin.Config{
		Selector: `job="orders"`,
		Severity: map[string]string{"LivenessProcessorStale": "page"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, group := range rules.Groups {
		fmt.Println(group.Name, len(group.Rules))
	}
	down := rules.Groups[2].Rules[0]
	fmt.Println(down.Alert, down.Labels["severity"], "after", down.For)
	fmt.Println(down.Expr)
	// Output:
	// loopvitals-processors 10
	// loopvitals-health 4
	// loopvitals-targets 5
	// loopvitals-redundancy 4
	// loopvitals-resubscribe 1
	// loopvitals-watchdog 1
	// loopvitals-records 3
	// LivenessTargetDown critical after 1m0s
	// min by (job, instance) (up{job="orders"}) == 0
}
