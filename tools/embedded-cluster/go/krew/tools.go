//go:build tools

// Package tools pins krew and its validator of manifests, which are built from their own module.
package tools

import (
	_ "sigs.k8s.io/krew/cmd/krew"
	_ "sigs.k8s.io/krew/cmd/validate-krew-manifest"
)
