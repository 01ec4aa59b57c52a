package check_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/loopvitals/loopvitals/check"
)

// What a driver says in its error stays in Result.Err, for the log.
func ExampleRunner() {
	ping := func(context.Context) error { return errors.New("dial tcp 10.0.0.7:5432: connection refused") }
	database, err := check.NewRunner("database", check.Ping(ping), check.Sampling{})
	if err != nil {
		fmt.Println(err)
		return
	}
	result := database.Check(context.Background())
	fmt.Println(result.Status, result.Description)
	// Output: Unhealthy unreachable
}

// A check of your own is a function. Its Description is shown to every client.
func ExampleFunc() {
	free := func() int { return 3 }
	slots := check.Func(func(context.Context) check.Result {
		n := free()
		result := check.Result{Status: check.Healthy, Description: "enough slots", Data: map[string]any{"free": n}}
		if n < 5 {
			result.Status, result.Description = check.Degraded, "few slots"
		}
		return result
	})
	result := slots.Check(context.Background())
	fmt.Println(result.Status, result.Description, result.Data["free"])
	// Output: Degraded few slots 3
}

// A query replaces the ping.
func ExampleDatabase() {
	var db *sql.DB // from sql.Open
	_, err := check.NewRunner("orders", check.Database(db, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT 1 FROM orders LIMIT 1").Err()
	}), check.Sampling{Limit: 300 * time.Millisecond})
	fmt.Println(err)
	// Output: check: handle *sql.DB nil: must not be nil
}

// A wrong setting is refused where the check is wired up.
func ExampleSampling() {
	_, err := check.NewRunner("search", check.HTTP("http://search.internal/health"), check.Sampling{
		Limit:        2 * time.Second,
		AbandonAfter: 10 * time.Second,
	})
	fmt.Println(err)
	// Output: check: abandon after 10s: must be at least 10 x the limit of 2s
}
