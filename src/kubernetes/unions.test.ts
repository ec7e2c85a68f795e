import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from './object.ts';
import { changedUnions, replaceUnions } from './unions.ts';

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

describe('unions', () => {
  it.each<[string, KubernetesObject, KubernetesObject, string[]]>([
    ['same member', pod(http), pod(http), []],
    ['other member', pod(http), pod(exec), [inContainer]],
    ['no wish', pod(http), pod({}), []],
    ['a wish without member', pod(http), pod({ livenessProbe: { periodSeconds: 1 } }), []],
    ['nothing there', pod({}), pod(exec), []],
    [
      'volume',
      pod({}, [{ name: 'v', secret: {} }]),
      pod({}, [{ name: 'v', emptyDir: {} }]),
      ['spec.template.spec.volumes'],
    ],
    [
      'other volume',
      pod({}, [{ name: 'a', secret: {} }]),
      pod({}, [{ name: 'v', emptyDir: {} }]),
      [],
    ],
    [
      'env',
      pod({ env: [{ name: 'E', value: 'x' }] }),
      pod({ env: [{ name: 'E', valueFrom: {} }] }),
      ['spec.template.spec.containers.env'],
    ],
    [
      'strategy',
      deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
      deployment({ strategy: { type: 'Recreate' } }),
      ['spec.strategy'],
    ],
    [
      'same strategy',
      deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
      deployment({ strategy: { type: 'RollingUpdate' } }),
      [],
    ],
    [
      'strategy unsaid',
      deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: {} } }),
      deployment({ strategy: {} }),
      [],
    ],
    ['budget', budget({ minAvailable: 1 }), budget({ maxUnavailable: 1 }), ['spec']],
    ['same budget', budget({ minAvailable: 1 }), budget({ minAvailable: 2 }), []],
  ])('%s', (...[, live, desired, expected]) => {
    expect(changedUnions(live, desired)).toEqual(expected);
  });

  it('the whole object keeps what others set and loses the former member alone', () => {
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

  it('plain lists are replaced, an empty wish for a list empties it', () => {
    expect(replaceUnions(pod({ args: ['a', 'b'] }), pod({ args: ['c'] }))).toEqual(
      pod({ args: ['c'] }),
    );
    expect(replaceUnions(pod({ env: [{ name: 'a' }] }), pod({ env: [] }))).toEqual(
      pod({ env: [] }),
    );
  });
});
