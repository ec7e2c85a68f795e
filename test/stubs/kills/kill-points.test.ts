import { expect, it } from '@jest/globals';
import { killPoint, killsAt, numbered } from './kill-points.ts';

it.each([
  [
    'POST https://127.0.0.1:6443/api/v1/namespaces/n-1/secrets?x=y',
    'POST host /api/v1/namespaces/NAMESPACE/secrets',
  ],
  ['PATCH https://x.n-1.svc:5443/apis/a/b', 'PATCH control plane /apis/a/b'],
  ['PATCH https://127.0.0.1:6443/apis/a/b', 'PATCH host /apis/a/b'],
  ['PATCH https://127.0.0.1:6443/apis/a/b/n-1', 'PATCH host /apis/a/b/NAMESPACE'],
  [
    'DELETE https://a/api/v1/namespaces/n-1/pods/k-webhook-5d4f8b7c9-x2x4z',
    'DELETE host /api/v1/namespaces/NAMESPACE/pods/k-webhook-RANDOM',
  ],
  ['POST etcd /etcdserverpb.Cluster/MemberAdd', 'POST etcd /etcdserverpb.Cluster/MemberAdd'],
  [
    'PATCH https://a/apis/b/namespaces/n-1/karmadarestores/run-3/status',
    'PATCH host /apis/b/namespaces/NAMESPACE/karmadarestores/RUN/status',
  ],
  [
    'PATCH https://a/api/v1/namespaces/n-1/persistentvolumeclaims/r2-etcd-data-k-etcd-0',
    'PATCH host /api/v1/namespaces/NAMESPACE/persistentvolumeclaims/etcd-data-k-etcd-0',
  ],
])('removes from %s what differs between runs, and finds it again', (write, point) => {
  const run = write.includes('restores') ? 'run-3' : undefined;
  expect(killPoint(write, 'n-1', run)).toBe(point);
  const kills = killsAt({ point, occurrence: 2 }, 'n-1', run);
  expect(kills.afterWrite).toBe(2);
  expect(write).toMatch(kills.of ?? '');
  expect(write.replace(/(?=\?|$)/, '/more')).not.toMatch(kills.of ?? '');
});

it('distinguishes the control plane from its host', () => {
  const [host, inside] = ['https://127.0.0.1:6443', 'https://x.n-1.svc:5443'];
  const at = (point: string) => killsAt({ point, occurrence: 1 }, 'n-1').of ?? '';
  expect(`PATCH ${host}/apis/a`).not.toMatch(at('PATCH control plane /apis/a'));
  expect(`PATCH ${inside}/apis/a`).not.toMatch(at('PATCH host /apis/a'));
});

it('numbers equal writes', () => {
  expect(numbered(['a', 'b', 'a'])).toEqual([
    { point: 'a', occurrence: 1 },
    { point: 'b', occurrence: 1 },
    { point: 'a', occurrence: 2 },
  ]);
});
