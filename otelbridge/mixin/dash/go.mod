module github.com/loopvitals/loopvitals/otelbridge/mixin/dash

go 1.26.0

replace github.com/loopvitals/loopvitals => ../../..
