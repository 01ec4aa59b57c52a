package etcd

import (
	_ "github.com/loopvitals/loopvitals/check/cluster/casmember"
	_ "go.etcd.io/etcd/server/v3/embed"
	_ "go.uber.org/goleak"
)
