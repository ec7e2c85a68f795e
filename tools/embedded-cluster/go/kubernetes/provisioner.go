package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	provisionerName  = "embedded.cluster/local-path"
	selectedNode     = "volume.kubernetes.io/selected-node"
	provisionedByKey = "pv.kubernetes.io/provisioned-by"
)

// provisioner gives each claim of its storage class a directory below root, once the scheduler has chosen a node,
// and removes the directory when the claim's volume is released under the Delete policy.
type provisioner struct {
	client  kubernetes.Interface
	root    string
	claims  cache.SharedIndexInformer
	volumes cache.SharedIndexInformer
	queue   workqueue.TypedRateLimitingInterface[string]
}

func newProvisionerCommand() *cobra.Command {
	var kubeconfig, root string
	command := &cobra.Command{
		Use:          "local-path-provisioner",
		Short:        "Binds claims of the embedded cluster's storage class to directories of the node",
		SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
			if err != nil {
				return err
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			return newProvisioner(client, root).run(context.Background())
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	command.Flags().StringVar(&root, "root", "", "directory that holds the volumes")
	return command
}

func newProvisioner(client kubernetes.Interface, root string) *provisioner {
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	p := &provisioner{
		client:  client,
		root:    root,
		claims:  factory.Core().V1().PersistentVolumeClaims().Informer(),
		volumes: factory.Core().V1().PersistentVolumes().Informer(),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    p.enqueue,
		UpdateFunc: func(_, current any) { p.enqueue(current) },
	}
	_, _ = p.claims.AddEventHandler(handler)
	_, _ = p.volumes.AddEventHandler(handler)
	return p
}

// enqueue adds "namespace/name" for a claim and "name" for a volume.
func (p *provisioner) enqueue(object any) {
	if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
		p.queue.Add(key)
	}
}

func (p *provisioner) run(ctx context.Context) error {
	go p.claims.Run(ctx.Done())
	go p.volumes.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), p.claims.HasSynced, p.volumes.HasSynced) {
		return fmt.Errorf("the caches did not fill")
	}
	for {
		key, stop := p.queue.Get()
		if stop {
			return nil
		}
		if err := p.reconcile(ctx, key); err != nil {
			klog.ErrorS(err, "Retrying", "key", key)
			p.queue.AddRateLimited(key)
		} else {
			p.queue.Forget(key)
		}
		p.queue.Done(key)
	}
}

func (p *provisioner) reconcile(ctx context.Context, key string) error {
	if strings.Contains(key, "/") {
		object, exists, err := p.claims.GetStore().GetByKey(key)
		if err != nil || !exists {
			return err
		}
		return p.provision(ctx, object.(*core.PersistentVolumeClaim))
	}
	object, exists, err := p.volumes.GetStore().GetByKey(key)
	if err != nil || !exists {
		return err
	}
	return p.release(ctx, object.(*core.PersistentVolume))
}

func (p *provisioner) provision(ctx context.Context, claim *core.PersistentVolumeClaim) error {
	node := claim.Annotations[selectedNode]
	if claim.Status.Phase != core.ClaimPending || claim.Spec.VolumeName != "" || node == "" {
		return nil
	}
	class, err := p.client.StorageV1().StorageClasses().Get(ctx, deref(claim.Spec.StorageClassName), meta.GetOptions{})
	if apierrors.IsNotFound(err) || (err == nil && class.Provisioner != provisionerName) {
		return nil
	}
	if err != nil {
		return err
	}
	name := "pvc-" + string(claim.UID)
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	// The process umask must not keep other users of the pods out.
	if err := os.Chmod(path, 0o777); err != nil {
		return err
	}
	_, err = p.client.CoreV1().PersistentVolumes().Create(ctx, volumeFor(claim, name, path, node), meta.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func volumeFor(claim *core.PersistentVolumeClaim, name, path, node string) *core.PersistentVolume {
	return &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: name, Annotations: map[string]string{provisionedByKey: provisionerName}},
		Spec: core.PersistentVolumeSpec{
			Capacity:                      core.ResourceList{core.ResourceStorage: claim.Spec.Resources.Requests[core.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: core.PersistentVolumeReclaimDelete,
			StorageClassName:              deref(claim.Spec.StorageClassName),
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef: &core.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: core.PersistentVolumeSource{Local: &core.LocalVolumeSource{Path: path}},
			NodeAffinity: &core.VolumeNodeAffinity{Required: &core.NodeSelector{NodeSelectorTerms: []core.NodeSelectorTerm{{
				MatchExpressions: []core.NodeSelectorRequirement{{
					Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{node},
				}},
			}}}},
		},
	}
}

func (p *provisioner) release(ctx context.Context, volume *core.PersistentVolume) error {
	if volume.Status.Phase != core.VolumeReleased || volume.Annotations[provisionedByKey] != provisionerName ||
		volume.Spec.PersistentVolumeReclaimPolicy != core.PersistentVolumeReclaimDelete {
		return nil
	}
	// Only what this program itself made may be removed: a directory of that very name, straight below root.
	if volume.Spec.Local == nil || volume.Spec.Local.Path != filepath.Join(p.root, volume.Name) {
		return nil
	}
	if err := os.RemoveAll(volume.Spec.Local.Path); err != nil {
		return err
	}
	err := p.client.CoreV1().PersistentVolumes().Delete(ctx, volume.Name, meta.DeleteOptions{
		Preconditions: &meta.Preconditions{UID: &volume.UID},
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func deref(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
