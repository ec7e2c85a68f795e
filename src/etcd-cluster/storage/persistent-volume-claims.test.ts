import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { claimsByPod, claimsOfPods, isClaimOf } from './persistent-volume-claims.ts';

const named = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'x',
  metadata: { name },
});

const CLAIMS = [
  'etcd-data-demo-etcd-1',
  'r1-etcd-data-demo-etcd-0',
  'etcd-data-demo-etcd-0',
  'etcd-data-demo-etcd-10',
  'etcd-data-other-demo-etcd-0',
  'demo-etcd-0',
  '-demo-etcd-0',
  'xdemo-etcd-0',
  '0',
  '-0',
  '',
  '-',
  '--',
  'etcd-data-demo-etcd-1',
].map(named);
const PODS = [
  'demo-etcd-0',
  'demo-etcd-1',
  'demo-etcd-10',
  'demo-etcd-2',
  'etcd-0',
  '0',
  '',
  '-',
  'demo-etcd-0',
  'a-much-longer-name-than-that-of-any-claim-0',
].map(named);

describe('claimsByPod', () => {
  it.each(PODS)('has the PVCs of $metadata.name in their order', (pod) => {
    const own = CLAIMS.filter((claim) => isClaimOf(claim, pod));
    expect(claimsByPod(CLAIMS, PODS).get(pod.metadata.name) ?? []).toEqual(own);
  });
});

describe('claimsOfPods', () => {
  it('selects the PVCs of any of the Pods in their order', () => {
    const pods = PODS.slice(0, 2);
    const own = CLAIMS.filter((claim) => pods.some((pod) => isClaimOf(claim, pod)));
    expect(claimsOfPods(CLAIMS, pods)).toEqual(own);
    expect(own).toHaveLength(6);
  });
});
