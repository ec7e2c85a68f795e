import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../../../src/api/karmada.ts';
import { apiServicesOf, instancesOf, karmadaOf, workloadNames } from './instance.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { controlPlaneChecks, rolledOut } from './readiness.ts';

const workload = (replicas: number, status: object): Parameters<typeof rolledOut>[0] => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'demo', generation: 2 },
  spec: { replicas },
  status,
});

const complete = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };

describe('readiness of a measured control plane', () => {
  it.each([
    { what: 'that is complete', status: complete, expected: true },
    { what: 'without an observed generation', status: {}, expected: false },
    { what: 'of a previous template', status: { ...complete, observedGeneration: 1 } },
    { what: 'with an additional old Pod', status: { ...complete, replicas: 2 } },
    { what: 'without an updated Pod', status: { ...complete, updatedReplicas: 0 } },
    { what: 'without an available Pod', status: { ...complete, availableReplicas: 0 } },
  ])('evaluates a rollout $what', ({ status, expected = false }) => {
    expect(rolledOut(workload(1, status))).toBe(expected);
  });

  it('does not need the current template for a StatefulSet whose Pods are replaced on deletion', () => {
    const sealed = { ...complete, updatedReplicas: undefined };
    const statefulSet = workload(1, sealed);
    const spec = { replicas: 1, updateStrategy: { type: 'OnDelete' } };
    expect(rolledOut(statefulSet)).toBe(false);
    expect(rolledOut({ ...statefulSet, kind: 'StatefulSet', spec })).toBe(true);
    expect(rolledOut({ ...statefulSet, spec, status: { ...sealed, availableReplicas: 0 } })).toBe(
      false,
    );
  });

  it.each<{ what: string; condition: Partial<Condition>; expected: boolean }>([
    { what: 'without a generation', condition: { status: 'True' }, expected: true },
    {
      what: 'of the current generation',
      condition: { status: 'True', observedGeneration: 2 },
      expected: true,
    },
    {
      what: 'of a previous generation',
      condition: { status: 'True', observedGeneration: 1 },
      expected: false,
    },
    {
      what: 'with status False',
      condition: { status: 'False', observedGeneration: 2 },
      expected: false,
    },
  ])('evaluates a Ready condition $what', ({ condition, expected }) => {
    const rest = { type: 'Ready', reason: 'Any', message: '', lastTransitionTime: '' };
    const conditions = [{ ...rest, ...condition } as Condition];
    expect(saysReady({ metadata: { name: 'demo', generation: 2 }, status: { conditions } })).toBe(
      expected,
    );
    expect(saysReady({ metadata: { name: 'demo', generation: 2 } })).toBe(false);
  });

  it('passes the webhook check only when the webhook itself rejects the policy', () => {
    const [webhook] = controlPlaneChecks([], []);
    const asked = (status: number, body: string): string | undefined =>
      webhook?.missing({ status, body });
    expect(asked(403, 'admission webhook "x" denied the request: no')).toBeUndefined();
    expect(asked(201, '{}')).toContain('201');
    expect(asked(500, 'failed calling webhook')).toContain('500');
  });

  it('passes the CRD check only when all listed and all required CRDs are Established', () => {
    const established = controlPlaneChecks(['a.example.org', 'b.example.org'], [])[2];
    const crd = (name: string, status: string): object => ({
      metadata: { name },
      status: { conditions: [{ type: 'Established', status }] },
    });
    const asked = (...items: object[]): string | undefined =>
      established?.missing({ status: 200, body: JSON.stringify({ items }) });
    const both = [crd('a.example.org', 'True'), crd('b.example.org', 'True')];
    expect(asked(...both)).toBeUndefined();
    expect(asked(crd('a.example.org', 'True'))).toBe('not Established: b.example.org');
    expect(asked(...both, crd('c.example.org', 'False'))).toBe('not Established: c.example.org');
    expect(established?.missing({ status: 503, body: '' })).toBe('HTTP 503');
  });

  it('defines a core control plane with eight workloads of one replica', () => {
    const [instance, ...others] = instancesOf('core');
    if (instance === undefined) throw new Error('instancesOf returned no control plane');
    expect(others).toEqual([]);
    expect(workloadNames(instance)).toEqual([
      'demo-karmada-etcd',
      'demo-karmada-apiserver',
      'demo-karmada-aggregated-apiserver',
      'demo-karmada-kube-controller-manager',
      'demo-karmada-controller-manager',
      'demo-karmada-scheduler',
      'demo-karmada-webhook',
      'demo-karmada-metrics-adapter',
    ]);
    expect(JSON.stringify(karmadaOf(instance)).match(/"replicas":1/g)).toHaveLength(8);
  });

  it('defines two more workloads with all add-ons, and a namespace for each of five control planes', () => {
    const [full] = instancesOf('addons');
    expect(full && workloadNames(full).slice(8)).toEqual([
      'demo-karmada-descheduler',
      'demo-karmada-search',
    ]);
    expect(full && apiServicesOf(full)).toContain('v1alpha1.search.karmada.io');
    const five = instancesOf('five');
    expect(new Set(five.map(({ namespace }) => namespace)).size).toBe(5);
    expect(five.flatMap((instance) => apiServicesOf(instance))).not.toContain(
      'v1alpha1.search.karmada.io',
    );
  });
});
