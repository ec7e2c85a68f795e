import { expect, it } from '@jest/globals';
import { killPoint, missingPoints, writesNear } from './kill-points.ts';

it.each([
  [
    'POST https://127.0.0.1:6443/api/v1/namespaces/n-1/secrets?x=y',
    'POST host /api/v1/namespaces/NAMESPACE/secrets',
  ],
  ['PATCH https://x.n-1.svc:5443/apis/a/b', 'PATCH control plane /apis/a/b'],
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
])('removes from %s what differs between runs', (write, point) => {
  expect(killPoint(write, 'n-1', write.includes('restores') ? 'run-3' : undefined)).toBe(point);
});

it('returns each point as often as it is missing, without those of the status', () => {
  expect(missingPoints(['a', 'a', 'b', 'x/status'], ['a', 'c'])).toEqual(['a', 'b']);
});

it('returns writes at a growing distance from a missing point', () => {
  const enumerated = ['a', 'b', 'c', 'd', 'e'];
  const rounds = [0, 1, 2, 3, 9].map((round) => writesNear(enumerated, ['c'], round));
  expect(rounds).toEqual([[3], [4], [2], [5], [5]]);
});
