module github.com/loopvitals/loopvitals/tiers/adapter/observation/schematest

go 1.26.0

require (
	github.com/loopvitals/loopvitals v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	go.uber.org/goleak v1.3.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/text v0.14.0 // indirect

replace github.com/loopvitals/loopvitals => ../../../..
