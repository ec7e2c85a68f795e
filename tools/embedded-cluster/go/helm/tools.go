//go:build tools

// Package tools pins the Helm command, which is built from its own module.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
