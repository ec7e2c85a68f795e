//go:build tools

// Package tools pins Prometheus, which evaluates alerts and dashboards in a test.
package tools

import _ "github.com/prometheus/prometheus/cmd/prometheus"
