// Command traefik forwards TLS connections as Traefik does, with the code of Traefik that reads routes of Kubernetes and
// selects them by SNI. The whole program of Traefik contains SDKs of dozens of DNS services, which not every proxy of Go
// modules has.
//
// Usage: KUBECONFIG=FILE traefik ENTRYPOINT ADDRESS
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/config/runtime"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/crd"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/gateway"
	"github.com/traefik/traefik/v3/pkg/safe"
	tcpmiddleware "github.com/traefik/traefik/v3/pkg/server/middleware/tcp"
	"github.com/traefik/traefik/v3/pkg/server/provider"
	tcprouter "github.com/traefik/traefik/v3/pkg/server/router/tcp"
	tcpservice "github.com/traefik/traefik/v3/pkg/server/service/tcp"
	"github.com/traefik/traefik/v3/pkg/tcp"
	"github.com/traefik/traefik/v3/pkg/tls"
)

// source reads routes of the cluster and sends them after each change.
type source interface {
	Init() error
	Provide(chan<- dynamic.Message, *safe.Pool) error
}

// merged returns the TCP routes of all sources, with the name of the source in each name.
func merged(configurations map[string]*dynamic.Configuration) dynamic.Configuration {
	all := &dynamic.TCPConfiguration{
		Routers:           map[string]*dynamic.TCPRouter{},
		Services:          map[string]*dynamic.TCPService{},
		Middlewares:       map[string]*dynamic.TCPMiddleware{},
		ServersTransports: map[string]*dynamic.TCPServersTransport{"default@internal": {}},
	}
	for name, one := range configurations {
		if one.TCP == nil {
			continue
		}
		for key, value := range one.TCP.Routers {
			all.Routers[provider.MakeQualifiedName(name, key)] = value
		}
		for key, value := range one.TCP.Services {
			all.Services[provider.MakeQualifiedName(name, key)] = value
		}
		for key, value := range one.TCP.Middlewares {
			all.Middlewares[provider.MakeQualifiedName(name, key)] = value
		}
		for key, value := range one.TCP.ServersTransports {
			all.ServersTransports[provider.MakeQualifiedName(name, key)] = value
		}
	}
	return dynamic.Configuration{
		HTTP: &dynamic.HTTPConfiguration{},
		TCP:  all,
		UDP:  &dynamic.UDPConfiguration{},
		TLS:  &dynamic.TLSConfiguration{},
	}
}

// routerOf builds the router of the entry point.
func routerOf(ctx context.Context, entryPoint string, configuration dynamic.Configuration) *tcprouter.Router {
	config := runtime.NewConfig(configuration)
	dialers := tcp.NewDialerManager(nil)
	dialers.Update(configuration.TCP.ServersTransports)
	services := tcpservice.NewManager(config, dialers)
	middlewares := tcpmiddleware.NewBuilder(config.TCPMiddlewares)
	manager := tcprouter.NewManager(config, services, middlewares, nil, nil, tls.NewManager(nil), nil)
	return manager.BuildHandlers(ctx, []string{entryPoint})[entryPoint]
}

// serve accepts connections for the current router. Without one it closes them.
func serve(listener net.Listener, current *atomic.Pointer[tcprouter.Router]) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		router := current.Load()
		if router == nil {
			_ = connection.Close()
			continue
		}
		go router.ServeTCP(connection.(*net.TCPConn))
	}
}

func run(entryPoint, address string) error {
	ctx := context.Background()
	entryPoints := map[string]gateway.Entrypoint{entryPoint: {Address: address}}
	sources := []source{&gateway.Provider{EntryPoints: entryPoints}, &crd.Provider{}}
	messages := make(chan dynamic.Message)
	pool := safe.NewPool(ctx)
	for _, one := range sources {
		if err := one.Init(); err != nil {
			return err
		}
		if err := one.Provide(messages, pool); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	var current atomic.Pointer[tcprouter.Router]
	go func() {
		configurations := map[string]*dynamic.Configuration{}
		for message := range messages {
			configurations[message.ProviderName] = message.Configuration
			current.Store(routerOf(ctx, entryPoint, merged(configurations)))
		}
	}()
	return serve(listener, &current)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: traefik ENTRYPOINT ADDRESS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
