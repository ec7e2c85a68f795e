import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject, DesiredObjects } from '../../instance/desired-objects.ts';
import type { StepState } from '../../components/rollout.ts';
import { stepStates } from './steps.ts';

const STEP = 'karmada-webhook';
const { objects: ALL } = wishOf();

function targetOf(kind: string): DesiredObject {
  const found = ALL.find(({ step, object }) => step === STEP && object.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} of ${STEP}`);
  return found;
}

const DEPLOYMENT = targetOf('Deployment');
const SERVICE = targetOf('Service');

const outdated = (target: DesiredObject): KubernetesObject => {
  const object = live(target);
  const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: 'other' };
  return { ...object, metadata: { ...object.metadata, annotations } };
};
const withoutPods = (target: DesiredObject): KubernetesObject => ({
  ...live(target),
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
});

describe('stepStates', () => {
  const service = 'Service team/karmada-demo-webhook';
  const deployment = 'Deployment team/karmada-demo-webhook';

  it.each<[string, readonly KubernetesObject[], StepState]>([
    [
      'complete when all objects are',
      [live(SERVICE), live(DEPLOYMENT)],
      { state: 'complete', message: '', serves: true },
    ],
    [
      'that of the only incomplete object',
      [live(SERVICE), outdated(DEPLOYMENT)],
      { state: 'outdated', message: `${deployment}: update pending`, serves: true },
    ],
    [
      'that of the first incomplete object when both serve',
      [outdated(SERVICE), outdated(DEPLOYMENT)],
      { state: 'outdated', message: `${service}: update pending`, serves: true },
    ],
    [
      'that of the object that does not serve after one that serves',
      [outdated(SERVICE), withoutPods(DEPLOYMENT)],
      { state: 'progressing', message: `${deployment}: 0 of 1 Pods available`, serves: false },
    ],
    [
      'that of the missing object after an outdated one that serves',
      [outdated(SERVICE)],
      { state: 'missing', message: `${deployment}: not created yet`, serves: false },
    ],
    [
      'that of the first object that does not serve',
      [withoutPods(DEPLOYMENT)],
      { state: 'missing', message: `${service}: not created yet`, serves: false },
    ],
  ])('is %s', (_, objects, expected) => {
    const desired: DesiredObjects = { objects: [SERVICE, DEPLOYMENT], steps: new Set([STEP]) };
    const snapshot = snapshotOf(desired, []);
    const host = { ...snapshot.host, objects };
    expect(stepStates(desired, { ...snapshot, host }).get(STEP)).toEqual(expected);
  });
});
