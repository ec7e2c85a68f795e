import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { ComponentName } from '../api/component-catalog.ts';
import { isWorkload, type Workload } from '../components/workload.ts';
import { live, wishOf } from '../instance/__fixtures__/instance.ts';
import { certain } from './cause.ts';
import { isServed, withoutConsequence } from './consequences.ts';

const API = 'karmada-apiserver';

/** Workload of a component with a number of Pods that serve. */
function workload(step: ComponentName, readyReplicas: number | undefined): Workload {
  const found = wishOf().objects.find((item) => item.step === step && isWorkload(item.object));
  if (found === undefined) throw new Error(`no workload of ${step}`);
  return { ...(live(found) as Workload), status: { readyReplicas } };
}

interface Case {
  readonly of: ComponentName;
  readonly reason?: Reason;
  /** Pods that serve; absent for an external etcd. */
  readonly etcd?: number;
  readonly server?: number;
  readonly isCertain: boolean;
}

describe('a container that ends', () => {
  it.each<[string, Case]>([
    ['API server while etcd has no volume yet', { of: API, etcd: 0, isCertain: false }],
    ['API server while etcd serves', { of: API, etcd: 1, isCertain: true }],
    ['API server with an external etcd', { of: API, isCertain: true }],
    [
      'API server with a wrong flag while etcd has no volume yet',
      { of: API, reason: 'FlagRejected', etcd: 0, isCertain: true },
    ],
    [
      'scheduler while the API server does not serve',
      { of: 'karmada-scheduler', etcd: 1, server: 0, isCertain: false },
    ],
    [
      'scheduler while etcd is recovered',
      { of: 'karmada-scheduler', etcd: 0, server: 1, isCertain: false },
    ],
    [
      'scheduler while both serve',
      { of: 'karmada-scheduler', etcd: 1, server: 1, isCertain: true },
    ],
    [
      'scheduler without memory while the API server does not serve',
      { of: 'karmada-scheduler', reason: 'OOMKilled', etcd: 1, server: 0, isCertain: true },
    ],
    ['etcd', { of: 'etcd', etcd: 0, isCertain: true }],
  ])('is a failure or a consequence: %s', (_, { of, reason, etcd, server, isCertain }) => {
    const workloads = new Map<ComponentName, Workload | undefined>([
      ['etcd', etcd === undefined ? undefined : workload('etcd', etcd)],
      [API, workload(API, server)],
    ]);
    const cause = certain(reason ?? 'CrashLoopBackOff', 'text');
    const found = withoutConsequence(cause, { isServed: isServed(of, workloads) });
    expect(found).toEqual({ ...cause, isCertain });
  });
});
