package main

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
)

// accepted is what the command line of a program accepts. Lists are sorted.
type accepted struct {
	Flags []string `json:"flags"`
	// Hidden flags are not in the help text: most are deprecated, and a later release removes them.
	Hidden []string `json:"hidden"`
	Gates  []string `json:"gates"`
}

// writeAccepted writes the flags and feature gates of a program as JSON.
func writeAccepted(out io.Writer, command *cobra.Command) error {
	// cli.Run does both before it parses the command line.
	command.SetGlobalNormalizationFunc(cliflag.WordSepNormalizeFunc)
	logs.AddFlags(command.PersistentFlags())
	found := accepted{Flags: []string{}, Hidden: []string{}, Gates: []string{}}
	seen := map[string]bool{}
	visit := func(flag *pflag.Flag) {
		if seen[flag.Name] {
			return
		}
		seen[flag.Name] = true
		if flag.Hidden || flag.Deprecated != "" {
			found.Hidden = append(found.Hidden, flag.Name)
		} else {
			found.Flags = append(found.Flags, flag.Name)
		}
		gates, ok := flag.Value.(interface {
			GetAll() map[featuregate.Feature]featuregate.FeatureSpec
		})
		if ok {
			for gate := range gates.GetAll() {
				found.Gates = append(found.Gates, string(gate))
			}
		}
	}
	command.Flags().VisitAll(visit)
	command.PersistentFlags().VisitAll(visit)
	slices.Sort(found.Flags)
	slices.Sort(found.Hidden)
	slices.Sort(found.Gates)
	return json.NewEncoder(out).Encode(found)
}
