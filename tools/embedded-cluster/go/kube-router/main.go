// Command kube-router is just the controller of kube-router that enforces NetworkPolicies on the node in NODE_NAME. Its
// arguments are the kubeconfig and the range of Service addresses.
package main

import (
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Each change of a Pod or a policy causes a synchronization at once.
const syncPeriod = 30 * time.Second

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: kube-router KUBECONFIG SERVICE-RANGE")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(kubeconfig, services string) error {
	access, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	config := options.NewKubeRouterConfig()
	config.ClusterIPCIDRs = []string{services}
	config.EnableIPv4 = true
	config.IPTablesSyncPeriod = syncPeriod
	tables, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	stop := make(chan struct{})
	factory.Start(stop)
	cache.WaitForCacheSync(stop, pods.HasSynced, policies.HasSynced, namespaces.HasSynced)
	var lock sync.Mutex
	controller, err := netpol.NewNetworkPolicyController(
		client, config, pods, policies, namespaces, &lock, tables, sets)
	if err != nil {
		return err
	}
	handle(pods, controller.PodEventHandler)
	handle(policies, controller.NetworkPolicyEventHandler)
	handle(namespaces, controller.NamespaceEventHandler)
	return serve(controller, stop)
}

func handle(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	if _, err := informer.AddEventHandler(handler); err != nil {
		log.Fatal(err)
	}
}

// serve runs the controller until a signal arrives. Nothing reads its heartbeats.
func serve(controller *netpol.NetworkPolicyController, stop chan struct{}) error {
	beats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range beats {
		}
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	var group sync.WaitGroup
	group.Add(1)
	go controller.Run(beats, stop, &group)
	<-signals
	close(stop)
	group.Wait()
	return nil
}
