/**
 * Where the commands of the pages of users run: those in `text` blocks, which a reader adapts. Commands that only read are
 * not listed; test/docs/docs-names.test.ts compares their fields with the CRDs. It also compares commands of the kubectl plugin
 * and its flags with the program.
 */

/** A test runs the command or makes the same change; or none does, and the section of the page says so. */
export type Run = { readonly test: string } | { readonly notRun: true };

/** Commands of a page, each by how it starts, and where they run. */
type Commands = Readonly<Record<string, Run>>;

const by = (test: string): Run => ({ test: `test/${test}.test.ts` });
const NOT_RUN: Run = { notRun: true };
const published = by('e2e/published-release');
const goOperator = by('integration/chart/go-operator');
const chart = by('integration/chart/server');
const demo = by('e2e/demo');

/** Commands by the path of the page. */
export const PAGE_COMMANDS: Readonly<Record<string, Commands>> = {
  'README.md': {
    'helm install karmada-operator oci:': published,
    'kubectl apply --server-side -f karmada-sample.yaml': published,
    'helm uninstall karmada-operator': published,
    'kubectl delete crd': published,
  },
  'charts/karmada-operator-crds/README.md': {
    'helm install karmada-operator-crds': chart,
    'helm install karmada-operator ': chart,
    'helm upgrade karmada-operator': chart,
  },
  'charts/karmada-operator/README.md': {
    'helm install karmada-operator': chart,
    'helm test karmada-operator': by('e2e/operator'),
    'kubectl delete karmadas': published,
    'helm uninstall karmada-operator': by('e2e/chart-upgrade'),
  },
  'config/deploy/README.md': {
    'kubectl apply --server-side -f crds/': demo,
    'kubectl -n karmada-system set image': NOT_RUN,
    'kubectl delete karmadas': published,
    'kubectl delete -f config/deploy/': published,
    'kubectl delete -f crds/': published,
  },
  'config/watch-namespaces/README.md': {
    'kubectl apply --server-side -f crds/': by('integration/reconcile/watched-namespaces'),
  },
  'docs/configure/addons.md': {
    'karmadactl --kubeconfig karmada.kubeconfig token create': by('e2e/register-clusters'),
    'kubectl --kubeconfig karmada.kubeconfig patch cluster': NOT_RUN,
    'token=': NOT_RUN,
    'ca=': NOT_RUN,
    'kubectl --kubeconfig karmada.kubeconfig -n karmada-cluster patch secret': NOT_RUN,
  },
  'docs/configure/crd-archives.md': {
    'kubectl -n karmada-demo create configmap': by('integration/archives/object'),
  },
  'docs/configure/etcd.md': {
    'kubectl -n NAMESPACE patch karmada NAME': by('e2e/etcd-scaling'),
    'kubectl -n storage create secret generic': by('e2e/external-etcd'),
    'kubectl -n NAMESPACE annotate --overwrite karmada': by('e2e/external-etcd'),
  },
  'docs/configure/remote-host-clusters.md': {
    'kubectl apply --server-side -f config/remote-host/rights.yaml': demo,
    'kubectl -n karmada-remote create secret generic': demo,
    'kubectl delete clusterrolebinding': NOT_RUN,
    'kubectl -n NAMESPACE create rolebinding': NOT_RUN,
    'kubectl --context HOST label namespace': by('e2e/remote-host'),
  },
  'docs/configure/watched-namespaces.md': {
    'kubectl create namespace': by('e2e/watched-namespaces'),
    'helm upgrade --install karmada-operator': by('e2e/watched-namespaces'),
    'kubectl -n team-a patch karmada': NOT_RUN,
  },
  'docs/install.md': {
    'helm install karmada-operator oci:': published,
    'sha256sum --check': published,
    'kubectl apply --server-side -f install.yaml': published,
    'docker ': NOT_RUN,
    'ctr ': NOT_RUN,
    'helm install karmada-operator charts/': chart,
    'kubectl apply --server-side -f crds/': demo,
    'kubectl -n karmada-system set image': NOT_RUN,
    'kubectl delete karmadas': published,
    'kubectl delete karmadarestores': NOT_RUN,
    'helm uninstall karmada-operator': published,
    'kubectl delete -f crds/': published,
    'kubectl -n karmada-system delete lease': NOT_RUN,
    'kubectl -n kube-system delete lease': NOT_RUN,
  },
  'docs/migrate-from-go-operator.md': {
    'kubectl scale deployment': goOperator,
    'helm upgrade karmada-operator': goOperator,
    'kubectl label crd': goOperator,
    'kubectl annotate crd': goOperator,
    'kubectl delete deployment': goOperator,
    'kubectl apply ': goOperator,
    'kubectl delete statefulset': by('integration/stubs/adopted-etcd-data'),
    'kubectl annotate karmada NAME --namespace NAMESPACE operator.karmada.io/adoption':
      by('e2e/adoption'),
    'kubectl annotate karmada NAME --namespace NAMESPACE operator.karmada.io/adoption-':
      by('e2e/adoption-return'),
    'kubectl annotate karmada NAME --namespace NAMESPACE operator.karmada.io/adopt-etcd':
      by('e2e/adoption-etcd'),
    'kubectl annotate karmada NAME --namespace NAMESPACE operator.karmada.io/etcd-recover-from': by(
      'integration/stubs/adopted-etcd-data',
    ),
    'kubectl patch karmada NAME': by('integration/stubs/adopted-etcd-data'),
    'helm rollback': goOperator,
    'kubectl replace': goOperator,
    'kubectl delete -f': goOperator,
  },
  'docs/operate/backup-restore.md': {
    'openssl rand': by('e2e/backup-s3'),
    'kubectl -n NAMESPACE create secret generic': by('e2e/backup-s3'),
    'kubectl --context MEMBER': by('e2e/register-clusters'),
    'kubectl -n NAMESPACE patch karmadarestore': by('e2e/backup'),
    'kubectl -n karmada-es-CLUSTER patch work': by('e2e/restore-members'),
    'kubectl -n NAMESPACE port-forward': NOT_RUN,
    'etcdctl ': by('integration/backup/engine'),
  },
  'docs/operate/cli.md': {
    'tar -xzf': published,
    'sudo cp': NOT_RUN,
    'kubectl krew install': by('integration/release/krew'),
    'karmadactl register': by('e2e/register-clusters'),
    'kubectl apply --server-side -f karmada.yaml': by('e2e/samples'),
    'jq ': NOT_RUN,
    'source <(kubectl-karmada_operator completion bash)': by('integration/cli/programs'),
  },
  'docs/operate/component-metrics.md': {
    'kubectl -n NAMESPACE create role': by('e2e/component-metrics'),
  },
  'docs/operate/rotate-certificates.md': {
    'kubectl annotate karmada demo': by('integration/stubs/reissue'),
  },
  'docs/operate/delete.md': {
    'kubectl -n NAMESPACE delete karmada': by('e2e/deletion'),
    'kubectl -n NAMESPACE patch karmada': by('e2e/deletion'),
    'kubectl -n NAMESPACE annotate karmada': by('integration/reconcile/deletion-policy'),
    'kubectl -n karmada-remote annotate karmada': by('e2e/remote-host-outages'),
  },
  'docs/operate/gitops.md': {
    'kubectl apply --server-side -f config/gitops/': by('integration/gitops/health'),
  },
  'docs/operate/monitor.md': {
    'helm upgrade karmada-operator': by('integration/chart/metrics'),
    'kubectl create clusterrolebinding': by('integration/metrics/secure'),
  },
  'docs/operate/recover.md': { 'kubectl --context MEMBER': by('e2e/register-clusters') },
  'docs/operate/troubleshoot.md': {
    'kubectl annotate karmada': by('e2e/etcd-bootstrap'),
    'etcdctl ': NOT_RUN,
    'kubectl patch persistentvolume': NOT_RUN,
    'kubectl -n NAMESPACE delete persistentvolumeclaim': NOT_RUN,
    'kubectl -n karmada-system exec': NOT_RUN,
  },
  'docs/operate/rotate-cas.md': {
    'kubectl annotate karmada demo': by('integration/stubs/rotation'),
  },
  'docs/operate/rotate-ca.md': {
    'kubectl annotate karmada demo': by('integration/stubs/rotation'),
    'kubectl -n karmada-system patch deployment karmada-agent': by('e2e/rotation-remote'),
    'kubectl -n karmada-system rollout undo': by('e2e/rotation-remote'),
  },
  'docs/operate/rotate-service-account-key.md': {
    'kubectl annotate karmada demo': by('integration/stubs/rotation'),
  },
  'docs/operate/upgrade.md': {
    'kubectl -n NAMESPACE patch karmada': by('e2e/upgrade'),
    'kubectl --kubeconfig demo.kubeconfig patch propagationpolicy': NOT_RUN,
    'helm upgrade karmada-operator': by('e2e/chart-upgrade'),
    'kubectl apply --server-side --force-conflicts': by('integration/api/crd-apply'),
    'kubectl patch karmada': by('integration/cli/commands'),
    'kubectl -n NAMESPACE annotate deployment': by('e2e/upgrade'),
    'kubectl annotate karmada demo -n team operator.karmada.io/component-identities': by(
      'integration/stubs/identities',
    ),
  },
  'docs/providers/local.md': {
    'docker ': NOT_RUN,
    'helm install karmada-operator charts/': chart,
    'kind ': NOT_RUN,
    'minikube ': NOT_RUN,
    'k3d ': NOT_RUN,
  },
  'docs/providers/openshift.md': { 'oc ': NOT_RUN },
  'docs/quickstart.md': {
    'kubectl apply --server-side -f samples/': by('e2e/readme'),
    'kubectl -n karmada-demo port-forward': published,
    'kubectl --kubeconfig karmada.kubeconfig config set-cluster': published,
    'kubectl -n karmada-demo delete karmada': by('e2e/readme'),
    'kubectl delete namespace': by('e2e/readme'),
  },
  'docs/security.md': {
    'kubectl -n storage annotate secret': by('e2e/external-etcd'),
  },
  'samples/README.md': { 'kubectl apply --server-side -f samples/': by('e2e/samples') },
};
