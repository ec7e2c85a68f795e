// Command kubernetes-previous holds the control plane programs of the Kubernetes release before the host's, chosen
// by the name it is called by or by its first argument: what an upgrade of a Karmada instance starts from.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
}

func main() {
	name := filepath.Base(os.Args[0])
	if commands[name] == nil && len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	command := commands[name]
	if command == nil {
		fmt.Fprintln(os.Stderr, "usage: kubernetes-previous PROGRAM [FLAG ...]")
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
