import { describe, expect, it } from '@jest/globals';
import { COMPONENT } from '../../api/labels.ts';
import { runningVersions } from './running-versions.ts';

const pod = (name: string, image: string, ready: boolean) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { [COMPONENT]: 'karmada-controller-manager' } },
  spec: { containers: [{ name: 'manager', image }] },
  status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

describe('runningVersions', () => {
  it.each<[string, readonly ReturnType<typeof pod>[], string | undefined]>([
    ['the version of a single Pod', [pod('a', 'x/y:v1.17.1', true)], 'v1.17.1'],
    ['the tag before a digest', [pod('a', 'r:5000/y:v1.17.1@sha256:00', true)], 'v1.17.1'],
    [
      'the older one of two by number, not by text',
      [pod('a', 'x/y:v1.10.0', true), pod('b', 'x/y:v1.9.3', true)],
      'v1.9.3',
    ],
    [
      'no version of a Pod that is not ready',
      [pod('a', 'x/y:v1.16.0', false), pod('b', 'x/y:v1.17.1', true)],
      'v1.17.1',
    ],
    ['nothing when no Pod is ready', [pod('a', 'x/y:v1.16.0', false)], undefined],
  ])('returns %s', (_, pods, karmada) => {
    const host = { objects: [], pods, claims: [] };
    const controlPlane = { state: 'waiting', message: '', objects: [] } as const;
    expect(runningVersions({ host, controlPlane }, {}).karmada).toBe(karmada);
  });
});
