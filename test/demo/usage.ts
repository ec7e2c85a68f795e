import { instanceName, SECRET_SUFFIX } from '../../src/api/naming.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { contextName } from '../../tools/embedded-cluster/kubeconfig.ts';
import { demoCluster, remoteCluster, type Target } from './target.ts';

/** Returns the commands to use the control plane, for copy and paste. The folder `bin` also has the kubectl plugin. */
export function usage(
  target: Pick<Target, 'kubeconfig' | 'bin'>,
  { name, namespace = '' }: Karmada['metadata'],
): string {
  const { kubeconfig, bin } = target;
  const at = `${name} -n ${namespace}`;
  const lines =
    bin === undefined
      ? [`export KUBECONFIG=${kubeconfig}`, ...withoutPlugin(name, namespace)]
      : [
          `export KUBECONFIG=${kubeconfig} PATH=${bin}:$PATH`,
          `kubectl karmada-operator status ${at}`,
          `kubectl karmada-operator kubeconfig ${at} --proxy -- kubectl get clusters`,
        ];
  return ['Use the control plane:', '', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

function withoutPlugin(name: string, namespace: string): readonly string[] {
  const secret = instanceName(name, SECRET_SUFFIX.adminConfig);
  const service = instanceName(name, 'apiserver');
  return [
    `kubectl -n ${namespace} get karmada ${name}`,
    `(umask 077; kubectl -n ${namespace} get secret ${secret} -o jsonpath='{.data.kubeconfig}' | base64 -d > karmada.kubeconfig)`,
    `kubectl -n ${namespace} port-forward service/${service} 5443 &`,
    'kubectl --kubeconfig karmada.kubeconfig config set-cluster karmada-apiserver --server https://localhost:5443',
    'kubectl --kubeconfig karmada.kubeconfig get clusters',
  ];
}

/**
 * Like `usage`, for a control plane in another cluster with a node port. Its kubeconfig needs no port-forward.
 * @param remote kubeconfig of that cluster
 */
export function remoteUsage(
  { kubeconfig, bin = '' }: Pick<Target, 'kubeconfig' | 'bin'>,
  remote: string,
  { name, namespace = '' }: Karmada['metadata'],
): string {
  const at = (cluster: string): string =>
    `kubectl --context ${contextName(cluster)} -n ${namespace}`;
  const secret = instanceName(name, SECRET_SUFFIX.adminConfig);
  const get = `${at(demoCluster)} get secret ${secret} -o jsonpath='{.data.kubeconfig}'`;
  return [
    `${demoCluster} has the operator and the Karmada, ${remoteCluster} the Pods of the control plane. Use the control plane:`,
    '',
    `  export KUBECONFIG=${kubeconfig}:${remote} PATH=${bin}:$PATH`,
    `  ${at(demoCluster)} get karmada ${name}`,
    `  ${at(remoteCluster)} get pods`,
    `  (umask 077; ${get} | base64 -d > karmada.kubeconfig)`,
    '  kubectl --kubeconfig karmada.kubeconfig get clusters',
    '',
  ].join('\n');
}
