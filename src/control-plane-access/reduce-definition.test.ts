import { describe, expect, it } from '@jest/globals';
import type { ObjectCondition } from '../kubernetes/objects/object.ts';
import type { CustomResourceDefinition } from '../kubernetes/objects/kinds.ts';
import { ListedDefinitions, reduceDefinition } from './reduce-definition.ts';

const names = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' } as const;

const definition = (
  uid: string,
  conditions?: readonly ObjectCondition[],
): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'works.work.karmada.io', uid, generation: 2 },
  spec: { versions: [{ name: 'v1alpha1', schema: { openAPIV3Schema: {} } }] },
  ...(conditions && { status: { conditions, storedVersions: ['v1alpha1'] } }),
});

const established = (status: string, message = ''): ObjectCondition => ({
  type: 'Established',
  status,
  message,
  lastTransitionTime: '2026-11-28T00:00:00Z',
});

describe('reduceDefinition', () => {
  it.each<[string, readonly ObjectCondition[] | undefined, object]>([
    ['a new CRD', undefined, { conditions: [] }],
    ['a CRD that is not established', [names], { conditions: [] }],
    [
      'a CRD whose establishment failed, with the message',
      [names, established('False', 'not yet')],
      { conditions: [established('False', 'not yet')] },
    ],
    [
      'an established CRD',
      [names, established('True', 'the initial names have been accepted')],
      { conditions: [{ type: 'Established', status: 'True' }] },
    ],
  ])('keeps metadata and condition of %s', (_, conditions, status) => {
    const { apiVersion, kind, metadata } = definition('1');
    expect(reduceDefinition(definition('1', conditions))).toEqual({
      ...{ apiVersion, kind, metadata },
      status,
    });
  });

  it('gives all established CRDs the same status', () => {
    const [one, other] = ['1', '2'].map((uid) =>
      reduceDefinition(definition(uid, [established('True')])),
    );
    expect(one?.status === other?.status).toBe(true);
  });
});

describe('ListedDefinitions', () => {
  it('compares complete CRDs with the desired ones until it forgets them', () => {
    const compared: unknown[] = [];
    const definitions = new ListedDefinitions({ compare: (...given) => compared.push(given) });
    const desired = definition('desired');
    const other = { ...definition('2'), metadata: { name: 'others', uid: '2' } };
    const listed = definition('1', [established('True')]);
    expect(definitions.reduce(listed)).toEqual(reduceDefinition(listed));
    definitions.expect([desired]);
    for (const crd of [listed, other])
      expect(definitions.reduce(crd)).toEqual(reduceDefinition(crd));
    definitions.forget();
    definitions.reduce(listed);
    expect(compared).toEqual([[desired, listed]]);
  });
});
