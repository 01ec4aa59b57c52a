module github.com/loopvitals/loopvitals

go 1.26

require github.com/benbjohnson/clock v1.3.5
