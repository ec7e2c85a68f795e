import { describe, expect, it } from '@jest/globals';
import { remoteUsage, usage } from './usage.ts';

const metadata = { name: 'karmada-demo', namespace: 'ns' };
const target = { kubeconfig: '/host/kubeconfig', bin: '/host/bin' };
const commands = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));

describe('usage', () => {
  it('prints commands of the kubectl plugin for one cluster', () => {
    expect(commands(usage(target, metadata))).toEqual([
      'export KUBECONFIG=/host/kubeconfig PATH=/host/bin:$PATH',
      'kubectl karmada-operator status karmada-demo -n ns',
      'kubectl karmada-operator kubeconfig karmada-demo -n ns --proxy -- kubectl get clusters',
    ]);
  });

  it('neither sets PATH nor needs the plugin for a cluster of the user', () => {
    expect(commands(usage({ kubeconfig: '/own' }, metadata))).toEqual([
      'export KUBECONFIG=/own',
      'kubectl -n ns get karmada karmada-demo',
      expect.stringContaining('(umask 077; kubectl -n ns get secret karmada-demo-admin-config '),
      'kubectl -n ns port-forward service/karmada-demo-apiserver 5443 &',
      expect.stringMatching(
        /config set-cluster karmada-apiserver --server https:..localhost:5443$/,
      ),
      'kubectl --kubeconfig karmada.kubeconfig get clusters',
    ]);
  });

  it('prints commands with the context of each cluster when there are two clusters', () => {
    const text = remoteUsage(target, '/remote/kubeconfig', metadata);
    expect(commands(text)).toEqual([
      'export KUBECONFIG=/host/kubeconfig:/remote/kubeconfig PATH=/host/bin:$PATH',
      'kubectl --context karmada-embedded-host -n ns get karmada karmada-demo',
      'kubectl --context karmada-embedded-host-remote -n ns get pods',
      expect.stringContaining(
        '(umask 077; kubectl --context karmada-embedded-host -n ns get secret',
      ),
      'kubectl --kubeconfig karmada.kubeconfig get clusters',
    ]);
  });

  it.each([
    ['a cluster of the user', usage({ kubeconfig: '/own' }, metadata)],
    ['two clusters', remoteUsage(target, '/remote/kubeconfig', metadata)],
  ])('writes the administrator kubeconfig with umask 077 for %s', (_, text) => {
    const written = commands(text).filter((line) => line.includes('> karmada.kubeconfig'));
    expect(written).toEqual([expect.stringMatching(/^\(umask 077; .*\)$/)]);
  });
});
