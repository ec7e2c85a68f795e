import type { Action } from '../../actions/action.ts';
import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import { exposed } from '../../metrics/exposed.fixture.ts';
import { createMetrics } from '../../metrics/metrics.ts';
import { executeActionsOrThrow, type Executors } from '../../actions/execute-actions.ts';
import { withErrorStatus, type ErrorStatusTools } from './reconcile-errors.ts';
import { ReportedError } from './reported-error.ts';
import { recordedExecutors } from '../../actions/recorded-executors.ts';
import { InstanceCaches } from '../../instance/instance-cache.ts';

/** Reconciles that end with these errors, one every three seconds. @returns the Degraded condition written in each */
async function passes(...errors: readonly Error[]): Promise<unknown[]> {
  const clock = manualClock();
  const written: unknown[] = [];
  const patch = (...[, , change]: readonly unknown[]): Promise<unknown> => {
    const { status } = change as { status: { conditions: readonly { type: string }[] } };
    written.push(status.conditions.find(({ type }) => type === 'Degraded'));
    return Promise.resolve(change);
  };
  const cache = { get: () => karmadaOf() };
  const local = { client: { patch }, karmadas: { cache } } as unknown as ErrorStatusTools['local'];
  const events = { record: () => undefined };
  const tools = { local, clock, events, instances: new InstanceCaches() };
  const left = [...errors];
  const reconcile = withErrorStatus(() => Promise.reject(left.shift() as Error), tools);
  const signal = new AbortController().signal;
  for (const error of errors) {
    await expect(reconcile('team/demo', signal)).rejects.toBe(error);
    await clock.advance(3_000);
  }
  return written;
}

describe('withErrorStatus', () => {
  it('writes the error to the status when reconciles have failed for ten seconds', async () => {
    const refused = new Error('apply Karmada team/demo: 403 Forbidden: no');
    expect(await passes(refused, refused, refused, refused)).toEqual([]);
    expect(await passes(refused, refused, refused, refused, refused)).toMatchObject([
      {
        status: 'True',
        reason: 'ReconcileFailed',
        message: `${refused.message}; the operator retries`,
      },
    ]);
  });

  it('does not write an error that the status reports already, and throws its cause', async () => {
    const writes: unknown[] = [];
    const patch = (...call: readonly unknown[]): void => void writes.push(call);
    const local = { client: { patch }, karmadas: { cache: { get: () => karmadaOf() } } };
    const tools = { local, clock: manualClock(), instances: new InstanceCaches() };
    const fault = new TypeError('broken');
    const reconcile = withErrorStatus(
      () => Promise.reject(new ReportedError(fault)),
      tools as unknown as ErrorStatusTools,
    );
    await expect(reconcile('team/demo', new AbortController().signal)).rejects.toBe(fault);
    expect(writes).toEqual([]);
  });

  it('reports an internal error at once, without the text that caused it', async () => {
    const fault = new SyntaxError('Unexpected token, "password" is not valid JSON');
    const [reported] = await passes(fault);
    expect(reported).toMatchObject({ status: 'True', reason: 'OperatorFault' });
    expect(JSON.stringify(reported)).not.toContain('password');
  });
});

describe('karmada_operator_reconcile_errors_total', () => {
  const fault = new TypeError('broken');
  const failing = { copyKubeconfig: () => Promise.reject(fault) } as unknown as Executors;

  /** Runs a reconcile that fails twice. @returns the samples of the metric */
  async function samples(reconcile: (executors: Executors) => Promise<never>): Promise<string[]> {
    const clock = manualClock();
    const record = createMetrics('1', { aheadMs: () => 0 });
    const local = { karmadas: { cache: { get: () => undefined } } };
    const tools = { local, clock, instances: new InstanceCaches(), record };
    const executors = recordedExecutors<Action>(failing, record);
    const wrapped = withErrorStatus(
      () => reconcile(executors),
      tools as unknown as ErrorStatusTools,
    );
    for (let n = 0; n < 2; n += 1)
      await expect(wrapped('team/demo', new AbortController().signal)).rejects.toBe(fault);
    const body = await exposed(record);
    return body.split('\n').filter((line) => line.startsWith('karmada_operator_reconcile_errors'));
  }

  it.each<[string, (executors: Executors) => Promise<never>, string]>([
    [
      'an action that fails before the plan once, with the step of the action',
      async (executors) => {
        await executeActionsOrThrow(executors, [{ kind: 'copyKubeconfig' }]);
        throw new Error('no error');
      },
      'copyKubeconfig',
    ],
    ['a reconcile that fails outside of actions', () => Promise.reject(fault), 'reconcile'],
    [
      'a reconcile whose error the status reports already',
      () => Promise.reject(new ReportedError(fault)),
      'reconcile',
    ],
  ])('counts %s', async (_, reconcile, step) => {
    expect(await samples(reconcile)).toEqual([
      `karmada_operator_reconcile_errors_total{step="${step}",reason="OperatorFault"} 2`,
    ]);
  });
});
