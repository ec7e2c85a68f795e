import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../api/karmada.ts';
import { deploymentOf } from '../../instance/__fixtures__/deployment.ts';
import type { Step } from '../../components/component.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import {
  isPausedComponent,
  PROPAGATION_PAUSED,
  propagationProblem,
  withPausedPropagation,
} from './propagation.ts';

const karmadaWith = (annotations: Record<string, string>): { readonly karmada: Karmada } => ({
  karmada: { metadata: { name: 'demo', annotations } } as unknown as Karmada,
});
const PAUSED = karmadaWith({ [PROPAGATION_PAUSED]: 'back' });
const RUNNING = karmadaWith({});

const DESIRED = {
  objects: (['karmada-apiserver', 'karmada-controller-manager', 'karmada-scheduler'] as const).map(
    deploymentOf,
  ),
  steps: new Set<Step>(),
};

describe('withPausedPropagation', () => {
  it('changes nothing without the annotation', () =>
    expect(withPausedPropagation(DESIRED, RUNNING)).toBe(DESIRED));

  it('stops only the components that change member clusters, at once', () => {
    const { objects } = withPausedPropagation(DESIRED, PAUSED);
    expect(objects.map(({ object }) => (object['spec'] as { replicas: number }).replicas)).toEqual([
      2, 0, 0,
    ]);
    expect(objects.map(({ ignoresOrder = false }) => ignoresOrder)).toEqual([false, true, true]);
  });
});

describe('propagationProblem', () => {
  const recovery = { recovery: { phase: 'loading', from: 'x' } } as unknown as EtcdBootstrap;

  it('is reported while the annotation is there', () => {
    expect(propagationProblem(PAUSED)?.reason).toBe('PropagationPaused');
    expect(propagationProblem(RUNNING)).toBeUndefined();
  });

  it('gives precedence to the restore', () =>
    expect(propagationProblem({ ...PAUSED, etcdBootstrap: recovery })).toBeUndefined());

  it('names the components that do not run', () => {
    expect(isPausedComponent('karmada-scheduler', PAUSED)).toBe(true);
    expect(isPausedComponent('karmada-scheduler', RUNNING)).toBe(false);
    expect(isPausedComponent('karmada-webhook', PAUSED)).toBe(false);
  });
});
