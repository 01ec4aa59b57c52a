package natskv

import (
	_ "github.com/loopvitals/loopvitals/check/cluster/casmember"
	_ "github.com/nats-io/nats-server/v2/server"
	_ "go.uber.org/goleak"
)
