import { describe, expect, it } from '@jest/globals';
import { remoteUsage, usage } from './usage.ts';

const metadata = { name: 'karmada-demo', namespace: 'ns' };
const target = { kubeconfig: '/host/kubeconfig', bin: '/host/bin' };
const commands = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));

describe('usage', () => {
  it('prints commands for one cluster', () => {
    expect(commands(usage(target, metadata)).slice(0, 2)).toEqual([
      'export KUBECONFIG=/host/kubeconfig PATH=/host/bin:$PATH',
      'kubectl -n ns get karmada karmada-demo',
    ]);
  });

  it('does not set PATH for a cluster of the user', () => {
    const [line] = commands(usage({ kubeconfig: '/own' }, metadata));
    expect(line).toBe('export KUBECONFIG=/own');
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
    ['one cluster', usage(target, metadata)],
    ['two clusters', remoteUsage(target, '/remote/kubeconfig', metadata)],
  ])('writes the administrator kubeconfig with umask 077 for %s', (_, text) => {
    const written = commands(text).filter((line) => line.includes('> karmada.kubeconfig'));
    expect(written).toEqual([expect.stringMatching(/^\(umask 077; .*\)$/)]);
  });
});
