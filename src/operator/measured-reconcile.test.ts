import { AsyncResource } from 'node:async_hooks';
import { expect, it } from '@jest/globals';
import { Origins } from '../kubernetes/fairness/origin.ts';
import type { ReconcileResult } from '../kubernetes/workqueue/worker.ts';
import { measured, type MeasuredOptions } from './measured-reconcile.ts';

const fault = new Error('refused');

it.each<[string, () => Promise<ReconcileResult>, object]>([
  ['a success', () => Promise.resolve({ requeueAfterMs: 1 }), { requeueAfterMs: 1 }],
  ['an error, which it throws', () => Promise.reject(fault), { error: fault }],
])('measured counts a reconcile as %s', async (_, reconcile, expected) => {
  const counted: unknown[] = [];
  const options: MeasuredOptions = {
    reconciler: { reconcile, flowOf: () => ({ group: 'host', tenant: 'team' }) },
    queue: { priorityOf: () => 'normal' },
    origins: { run: (_origin, call) => call() },
    metrics: { reconciled: (outcome, seconds) => counted.push([outcome, seconds]) },
    clock: { monotonic: () => 0 },
    onBegin: () => undefined,
  };
  const found = await measured(options)('team/demo', new AbortController().signal).catch(
    (error: unknown) => ({ error }),
  );
  expect(found).toEqual(expected);
  expect(counted).toEqual([['error' in expected ? 'error' : 'success', 0]]);
});

it('measured bounds what a reconcile reads, until it has ended', async () => {
  const origins = new Origins();
  const read = (): void => origins.current.reads?.add(20 * 1_048_576, 'get secrets');
  let late: () => void = () => undefined;
  const options: MeasuredOptions = {
    reconciler: {
      reconcile: () => {
        late = AsyncResource.bind(read);
        read();
        read();
        return Promise.resolve({});
      },
      flowOf: () => ({ group: 'team', tenant: 'demo' }),
    },
    queue: { priorityOf: () => 'normal' },
    origins,
    metrics: { reconciled: () => undefined },
    clock: { monotonic: () => 0 },
    onBegin: () => undefined,
  };
  const run = (): Promise<ReconcileResult> =>
    measured(options)('team/demo', new AbortController().signal);
  await expect(run()).rejects.toThrow('one reconcile reads is larger than 24 MiB');
  expect(late).not.toThrow();
});
