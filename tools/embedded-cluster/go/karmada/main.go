// Command karmada holds every Karmada program of one release in one binary, chosen by the name it is called by or
// by its first argument.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	controllerruntime "sigs.k8s.io/controller-runtime"

	agent "github.com/karmada-io/karmada/cmd/agent/app"
	aggregated "github.com/karmada-io/karmada/cmd/aggregated-apiserver/app"
	manager "github.com/karmada-io/karmada/cmd/controller-manager/app"
	descheduler "github.com/karmada-io/karmada/cmd/descheduler/app"
	search "github.com/karmada-io/karmada/cmd/karmada-search/app"
	metrics "github.com/karmada-io/karmada/cmd/metrics-adapter/app"
	estimator "github.com/karmada-io/karmada/cmd/scheduler-estimator/app"
	scheduler "github.com/karmada-io/karmada/cmd/scheduler/app"
	webhook "github.com/karmada-io/karmada/cmd/webhook/app"
	operator "github.com/karmada-io/karmada/operator/cmd/operator/app"
	"github.com/karmada-io/karmada/pkg/karmadactl"
)

var commands = map[string]func(context.Context) *cobra.Command{
	"karmada-agent":                agent.NewAgentCommand,
	"karmada-aggregated-apiserver": aggregated.NewAggregatedApiserverCommand,
	"karmada-controller-manager":   manager.NewControllerManagerCommand,
	"karmada-descheduler":          descheduler.NewDeschedulerCommand,
	"karmada-search":               func(c context.Context) *cobra.Command { return search.NewKarmadaSearchCommand(c) },
	"karmada-metrics-adapter":      metrics.NewMetricsAdapterCommand,
	"karmada-scheduler":            func(c context.Context) *cobra.Command { return scheduler.NewSchedulerCommand(c) },
	"karmada-scheduler-estimator":  func(c context.Context) *cobra.Command { return estimator.NewSchedulerEstimatorCommand(c) },
	"karmada-webhook":              webhook.NewWebhookCommand,
	"karmada-operator":             operator.NewOperatorCommand,
	"karmadactl": func(context.Context) *cobra.Command {
		return karmadactl.NewKarmadaCtlCommand("karmadactl", "karmadactl")
	},
}

// main runs a program. With the first argument `accepted`, it prints the flags and feature gates of a program instead.
func main() {
	name := filepath.Base(os.Args[0])
	describes := len(os.Args) > 2 && os.Args[1] == "accepted"
	if describes {
		os.Args = os.Args[1:]
	}
	if commands[name] == nil && len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	command := commands[name]
	if command == nil {
		fmt.Fprintln(os.Stderr, "usage: karmada PROGRAM [FLAG ...]")
		os.Exit(2)
	}
	if describes {
		if err := writeAccepted(os.Stdout, command(context.Background())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(cli.Run(command(controllerruntime.SetupSignalHandler())))
}
