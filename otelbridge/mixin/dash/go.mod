module github.com/loopvitals/loopvitals/otelbridge/mixin/dash

go 1.26.0

replace github.com/loopvitals/loopvitals => ../../..

require github.com/grafana/grafana-foundation-sdk/go v0.0.22
