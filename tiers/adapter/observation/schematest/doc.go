// Package schematest shows that the JSON Schema of observations and their decoder
// mean the same documents. It has tests only, and is a module of its own so that
// no user of the library carries a schema validator.
package schematest
