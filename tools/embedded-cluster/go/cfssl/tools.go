//go:build tools

// Package tools pins cfssl, which the chart of Karmada uses in its Jobs, and which is built from its own module.
package tools

import (
	_ "github.com/cloudflare/cfssl/cmd/cfssl"
	_ "github.com/cloudflare/cfssl/cmd/cfssljson"
)
