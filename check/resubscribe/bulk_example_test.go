package resubscribe_test

import (
	"context"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check/resubscribe"
)

// gatewayClient stands for the generated client of a gateway.
type gatewayClient struct{ capabilities []string }

func (g gatewayClient) open(_ context.Context, commandTimeout time.Duration) (resubscribe.Opened, error) {
	fmt.Println("open session: commands may take", commandTimeout)
	return resubscribe.Opened{Capabilities: g.capabilities, CommandTimeout: commandTimeout}, nil
}

func (gatewayClient) Add(_ context.Context, items []string) ([]resubscribe.Added, error) {
	fmt.Println("add", items)
	return make([]resubscribe.Added, len(items)), nil
}

func (gatewayClient) AdviseSupervisory(context.Context, resubscribe.Handle) error {
	fmt.Println("advise an item")
	return nil
}

func (gatewayClient) Subscribe(_ context.Context, items []string, supervisory bool) ([]resubscribe.Added, error) {
	fmt.Println("subscribe", items, "supervised:", supervisory)
	return make([]resubscribe.Added, len(items)), nil
}

// The peer decides by what it says at open how it is asked.
func ExampleSubscriber() {
	ctx := context.Background()
	for _, capabilities := range [][]string{{resubscribe.BulkSupervisory}, nil} {
		client := gatewayClient{capabilities}
		session, err := resubscribe.OpenSession(ctx, resubscribe.SessionOptions{}, client.open)
		if err != nil {
			fmt.Println(err)
			return
		}
		subscriber, err := resubscribe.NewSubscriber(session, client, resubscribe.SubscriberConfig{Supervisory: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := subscriber.Subscribe(ctx, []string{"level", "flow"}).Err(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// open session: commands may take 1m0s
	// subscribe [level flow] supervised: true
	// open session: commands may take 1m0s
	// add [level flow]
	// advise an item
	// advise an item
}
