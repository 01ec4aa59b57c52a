// Package strictjson decodes JSON that must be exactly what was agreed: each
// field once, by its exact name, none missing and none besides, nothing after
// it, and all of it within bounds.
package strictjson
