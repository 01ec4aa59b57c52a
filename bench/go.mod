module github.com/loopvitals/loopvitals/bench

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/loopvitals/loopvitals v0.0.0
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.50.0
)

require github.com/benbjohnson/clock v1.3.5 // indirect

replace github.com/loopvitals/loopvitals => ..
