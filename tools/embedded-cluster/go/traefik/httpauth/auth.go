// Package auth replaces the authentication of HTTP requests in Traefik, whose module not every proxy has. The tests only
// forward TLS connections, so it rejects every request.
package auth

import "net/http"

// SecretProvider returns the secret of a user.
type SecretProvider func(user, realm string) string

// BasicAuth rejects every request.
type BasicAuth struct {
	Realm   string
	Secrets SecretProvider
}

// RequireAuth answers that credentials are missing.
func (*BasicAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusUnauthorized)
}

// CheckSecret accepts no password.
func CheckSecret(_, _ string) bool { return false }

// DigestAuth rejects every request.
type DigestAuth struct{}

// NewDigestAuthenticator ignores the secrets.
func NewDigestAuthenticator(_ string, _ SecretProvider) *DigestAuth { return &DigestAuth{} }

// CheckAuth accepts no request.
func (*DigestAuth) CheckAuth(_ *http.Request) (string, *string) { return "", nil }

// DigestAuthParams finds no parameters.
func DigestAuthParams(_ string) map[string]string { return nil }

// RequireAuth answers that credentials are missing.
func (*DigestAuth) RequireAuth(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusUnauthorized)
}

// RequireAuthStale answers that credentials are missing.
func (a *DigestAuth) RequireAuthStale(w http.ResponseWriter, r *http.Request) { a.RequireAuth(w, r) }
