module github.com/loopvitals/loopvitals

go 1.26
