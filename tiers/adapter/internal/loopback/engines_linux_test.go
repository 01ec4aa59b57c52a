package loopback

// engines are what runs here. The one of other systems is written for any, and is
// held to the same.
var engines = map[string]func(*service) (engine, error){"poll": newPollEngine, "net": newNetEngine}
