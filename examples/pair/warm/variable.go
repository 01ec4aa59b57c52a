package warm

import (
	"log/slog"
	"sync/atomic"
)

// variable stands for the ServiceLevel of an OPC UA server, which clients subscribe
// to: a byte that is set when it changes. Here a change is a line in the log.
type variable struct {
	log   *slog.Logger
	value atomic.Uint32
}

// PublishServiceLevel sets the variable.
func (v *variable) PublishServiceLevel(level uint8) error {
	v.value.Store(uint32(level))
	v.log.Info("ServiceLevel", "value", level)
	return nil
}
