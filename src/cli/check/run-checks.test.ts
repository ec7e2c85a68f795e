import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { ApiError } from '../../kubernetes/client/errors.ts';
import { runChecks } from './run-checks.ts';
import type { CheckTools } from './subject.ts';

const given: Karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: 'demo', namespace: 'team' },
};

const answering = (code: number, message: string): CheckTools => {
  const refusal = (): Promise<never> =>
    Promise.reject(new ApiError({ request: 'create', code, reason: 'Forbidden', message }));
  const client: Partial<KubernetesClient> = {
    find: () => Promise.resolve(undefined),
    create: refusal,
    patch: refusal,
  };
  return { client } as Partial<CheckTools> as CheckTools;
};

const REQUESTS = [{ given }, { name: 'demo', namespace: 'team', patch: {} }];

describe('runChecks', () => {
  it.each<[number, string]>([
    [403, 'admission webhook "a.b" denied the request: label team is missing'],
    [403, "ValidatingAdmissionPolicy 'team' with binding 'team' denied request: no"],
    [422, 'spec.components: Invalid value'],
  ])('reports that a policy or the API server rejects the Karmada: %s %s', async (code, text) => {
    for (const request of REQUESTS)
      expect(await runChecks(answering(code, text), request)).toEqual([
        { check: 'spec', outcome: 'failed', message: text },
      ]);
  });

  it.each<[number, string]>([
    [403, 'User "ci" cannot create resource "karmadas" in API group'],
    [400, 'admission webhook "a.b" does not support dry run'],
    [500, 'etcdserver: request timed out'],
  ])('throws what says nothing about the Karmada: %s %s', async (code, text) => {
    for (const request of REQUESTS)
      await expect(runChecks(answering(code, text), request)).rejects.toThrow(text);
  });

  it('reports a missing Namespace only for a file, because the Karmada of a name must exist', async () => {
    const tools = answering(404, 'namespaces "team" not found');
    const [ofFile = { given }, ofName = { given }] = REQUESTS;
    expect(await runChecks(tools, ofFile)).toHaveLength(1);
    await expect(runChecks(tools, ofName)).rejects.toThrow('not found');
  });
});
