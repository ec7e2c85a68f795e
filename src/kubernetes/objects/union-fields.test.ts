import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from './object.ts';
import { changedUnions, replaceUnions } from './union-fields.ts';

function pod(container: object, volumes: object[] = []): KubernetesObject {
  const containers = [{ name: 'c', ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { template: { spec: { containers, volumes } } },
  };
}

function budget(spec: object): KubernetesObject {
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'x' }, spec };
}

function deployment(spec: object): KubernetesObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec };
}

const http = { livenessProbe: { httpGet: { port: 1 }, periodSeconds: 3 } };
const exec = { livenessProbe: { exec: { command: ['x'] } } };
const inContainer = 'spec.template.spec.containers.livenessProbe';

describe('changedUnions', () => {
  it.each<[string, KubernetesObject, KubernetesObject, string[]]>([
    ['returns nothing for the same probe handler', pod(http), pod(http), []],
    ['returns the path of a replaced probe handler', pod(http), pod(exec), [inContainer]],
    ['returns nothing when no probe is desired', pod(http), pod({}), []],
    [
      'returns nothing when the desired probe has no handler',
      pod(http),
      pod({ livenessProbe: { periodSeconds: 1 } }),
      [],
    ],
    ['returns nothing when the live object has no probe', pod({}), pod(exec), []],
    [
      'returns the path of a volume with another source',
      pod({}, [{ name: 'v', secret: {} }]),
      pod({}, [{ name: 'v', emptyDir: {} }]),
      ['spec.template.spec.volumes'],
    ],
    [
      'returns nothing for volumes with different names',
      pod({}, [{ name: 'a', secret: {} }]),
      pod({}, [{ name: 'v', emptyDir: {} }]),
      [],
    ],
    [
      'returns the path of a variable with another source',
      pod({ env: [{ name: 'E', value: 'x' }] }),
      pod({ env: [{ name: 'E', valueFrom: {} }] }),
      ['spec.template.spec.containers.env'],
    ],
    [
      'returns the path of a strategy with another type',
      deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
      deployment({ strategy: { type: 'Recreate' } }),
      ['spec.strategy'],
    ],
    [
      'returns nothing for a strategy of the same type',
      deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
      deployment({ strategy: { type: 'RollingUpdate' } }),
      [],
    ],
    [
      'returns nothing when the desired strategy has no type',
      deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
      deployment({ strategy: {} }),
      [],
    ],
    [
      'returns spec for a PodDisruptionBudget with another field',
      budget({ minAvailable: 1 }),
      budget({ maxUnavailable: 1 }),
      ['spec'],
    ],
    [
      'returns nothing for a PodDisruptionBudget with the same field',
      budget({ minAvailable: 1 }),
      budget({ minAvailable: 2 }),
      [],
    ],
  ])('%s', (...[, live, desired, expected]) => {
    expect(changedUnions(live, desired)).toEqual(expected);
  });

  it('replaceUnions removes the previous union field and keeps fields of other managers', () => {
    const live = pod({ ...http, image: 'old', theirs: 1 }, [
      { name: 'kept', emptyDir: {} },
      { name: 'v', secret: {} },
    ]);
    const desired = pod({ ...exec, image: 'new' }, [{ name: 'v', configMap: { name: 'm' } }]);
    expect(replaceUnions(live, desired)).toEqual(
      pod(
        { livenessProbe: { exec: { command: ['x'] }, periodSeconds: 3 }, image: 'new', theirs: 1 },
        [
          { name: 'v', configMap: { name: 'm' } },
          { name: 'kept', emptyDir: {} },
        ],
      ),
    );
    expect(replaceUnions(budget({ minAvailable: 1, x: 2 }), budget({ maxUnavailable: 1 }))).toEqual(
      budget({ maxUnavailable: 1, x: 2 }),
    );
  });

  it('replaceUnions replaces lists of scalars, and clears a list when an empty one is desired', () => {
    expect(replaceUnions(pod({ args: ['a', 'b'] }), pod({ args: ['c'] }))).toEqual(
      pod({ args: ['c'] }),
    );
    expect(replaceUnions(pod({ env: [{ name: 'a' }] }), pod({ env: [] }))).toEqual(
      pod({ env: [] }),
    );
  });
});
