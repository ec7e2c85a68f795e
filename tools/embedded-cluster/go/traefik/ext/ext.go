// Package ext has the types that other editions of Traefik extend. They are empty here.
package ext

// HTTP extends the HTTP configuration.
type HTTP struct{}

// Router extends an HTTP router.
type Router struct{}
