import { instanceName, SECRET_SUFFIX } from '../../src/api/naming.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import type { Target } from './target.ts';

/** Commands that show how to use the control plane, ready to be copied. */
export function usage(target: Target, { name, namespace = '' }: Karmada['metadata']): string {
  const secret = instanceName(name, SECRET_SUFFIX.adminConfig);
  const service = instanceName(name, 'apiserver');
  const path = target.bin === undefined ? '' : ` PATH=${target.bin}:$PATH`;
  return [
    'How to use it:',
    '',
    `  export KUBECONFIG=${target.kubeconfig}${path}`,
    `  kubectl -n ${namespace} get karmada ${name}`,
    `  kubectl -n ${namespace} get secret ${secret} -o jsonpath='{.data.kubeconfig}' | base64 -d > karmada.kubeconfig`,
    `  kubectl -n ${namespace} port-forward service/${service} 5443 &`,
    '  kubectl --kubeconfig karmada.kubeconfig config set-cluster karmada-apiserver --server https://localhost:5443',
    '  kubectl --kubeconfig karmada.kubeconfig get clusters',
    '',
  ].join('\n');
}
