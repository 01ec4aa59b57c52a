package clustertest

// nodeTests are about Nodes over the driver.
var nodeTests = map[string]func(*bench){}
