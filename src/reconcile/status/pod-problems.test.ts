import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { componentProblem } from './pod-problems.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const labels = { 'app.kubernetes.io/name': 'etcd' };

function pod(status: object): KubernetesObject {
  const metadata = { name: 'demo-etcd-0', namespace: 'team', labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status };
}

function claim(member: number, phase: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `etcd-data-demo-etcd-${member}`, namespace: 'team' },
    spec: { storageClassName: 'fast' },
    status: { phase },
  };
}

const unscheduled = (message: string, since = '2026-01-01T00:09:00Z'): KubernetesObject =>
  pod({
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message,
        lastTransitionTime: since,
      },
    ],
  });

describe('componentProblem for a Pod that cannot be scheduled', () => {
  it('names the unbound PVC and its StorageClass', () => {
    const waiting = unscheduled('pod has unbound immediate PersistentVolumeClaims');
    const claims = [claim(0, 'Pending'), claim(1, 'Pending')];
    const problem = componentProblem('etcd', undefined, { pods: [waiting], claims, now });
    expect(problem?.reason).toBe('ClaimNotBound');
    expect(problem?.message).toContain('Pod team/demo-etcd-0: cannot be scheduled');
    expect(problem?.message).toContain(
      'PersistentVolumeClaim team/etcd-data-demo-etcd-0 of StorageClass fast must be bound',
    );
    expect(problem?.message).not.toContain('etcd-data-demo-etcd-1');
  });

  it.each([
    ['the PVC is not in the cache yet', 'unbound PersistentVolumeClaims', [], 'ClaimNotBound'],
    ['the nodes lack resources', 'Insufficient memory', [claim(0, 'Pending')], 'Unschedulable'],
  ])('returns the reason for it when %s', (_, message, claims, reason) => {
    const found = componentProblem('etcd', undefined, {
      pods: [unscheduled(message)],
      claims,
      now,
    });
    expect(found?.reason).toBe(reason);
    expect(found?.message).toContain(message);
  });
});

describe('componentProblem for a Pod with a new PVC', () => {
  const missing =
    '0/1 nodes are available: persistentvolumeclaim "etcd-data-demo-etcd-0" not found';

  it.each([
    { message: missing, since: '2026-01-01T00:09:55Z', reason: undefined },
    { message: missing, since: '2026-01-01T00:09:49Z', reason: 'ClaimNotBound' },
    { message: 'Insufficient cpu', since: '2026-01-01T00:10:00Z', reason: 'Unschedulable' },
  ])('returns $reason when "$message" applies since $since', ({ message, since, reason }) => {
    const pods = [unscheduled(message, since)];
    const found = componentProblem('etcd', undefined, { pods, claims: [], now });
    expect(found?.reason).toBe(reason);
  });
});

describe('componentProblem for an image that cannot be pulled', () => {
  it.each([
    ['not found', 'check imageRepository and imageTag of the component'],
    ['failed with status code [manifests v1]: 401 Unauthorized', 'spec.imagePullSecrets'],
    ['pull access denied, repository does not exist', 'spec.imagePullSecrets'],
  ])('names the setting to check when the kubelet reports "%s"', (said, remedy) => {
    const message = `Back-off pulling image "registry.example.com/etcd:v1": ErrImagePull: ${said}`;
    const waiting = { reason: 'ImagePullBackOff', message };
    const status = { name: 'etcd', image: 'registry.example.com/etcd:v1', state: { waiting } };
    const pods = [pod({ containerStatuses: [status] })];
    const found = componentProblem('etcd', undefined, { pods, claims: [], now });
    expect(found?.reason).toBe('ImagePullFailed');
    expect(found?.message).toContain(remedy);
    expect(found?.message).toContain('registry.example.com/etcd:v1');
  });
});
