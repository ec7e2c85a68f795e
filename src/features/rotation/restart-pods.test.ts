import { describe, expect, it } from '@jest/globals';
import type { ComponentName } from '../../api/component-catalog.ts';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { isWorkload } from '../../components/workload.ts';
import { live, NOW, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { RotationSnapshot } from '../../instance/rotation-snapshot.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { desiredStateOf } from '../components/desired-state.ts';
import { A, authorityWith, factsWith, rotationOf } from './__fixtures__/facts.ts';
import type { Rotation } from './record.ts';
import { hasHash, restartedComponents } from './restart-pods.ts';

const BASE = snapshotOf(wishOf(), [...wishOf().steps]);
const VIEW_WITH = (hash: string): typeof VIEW => ({
  ...VIEW,
  restartHashes: { ...VIEW.restartHashes, 'karmada-scheduler': hash },
});

const isScheduler = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Deployment' && metadata.name === 'karmada-demo-scheduler';

const hashOf = (object: KubernetesObject | undefined): string | undefined =>
  object && isWorkload(object)
    ? object.spec.template.metadata.annotations?.[CERTIFICATES_HASH_ANNOTATION]
    : undefined;

interface Given {
  readonly hash?: string;
  readonly restarts?: RotationSnapshot['restarts'];
  readonly unsettled?: readonly ComponentName[];
}

/** Returns the snapshot after the Deployment of the scheduler was applied. */
function after(snapshot: Snapshot, { hash = 'two', restarts, unsettled = [] }: Given): Snapshot {
  const rotation = {
    ...{ conditions: [], dueAt: Infinity, unsettled: new Set(unsettled) },
    ...(restarts && { restarts }),
  };
  const { desired } = desiredStateOf(TEMPLATES, { ...snapshot, rotation }, VIEW_WITH(hash));
  const found = desired.objects.find(({ object }) => isScheduler(object));
  if (found === undefined) throw new Error('there is no Deployment');
  const others = snapshot.host.objects.filter((object) => !isScheduler(object));
  return { ...snapshot, host: { ...snapshot.host, objects: [...others, live(found)] } };
}

const schedulerHash = ({ host }: Snapshot): string | undefined =>
  hashOf(host.objects.find(isScheduler));

const restarts = (time: number): Given['restarts'] => new Map([['karmada-scheduler', time]]);

describe('withRestarts', () => {
  it('changes the template of a component that restarts, once for each content', () => {
    const first = after(BASE, { restarts: restarts(100) });
    expect(schedulerHash(first)).toBe('two.100');
    expect(schedulerHash(after(first, { restarts: restarts(100) }))).toBe('two.100');
    expect(schedulerHash(after(first, { restarts: restarts(200) }))).toBe('two.200');
  });

  it('keeps the template afterwards, and restarts nothing when the rotation ends', () => {
    const first = after(BASE, { restarts: restarts(100) });
    expect(schedulerHash(after(first, {}))).toBe('two.100');
    const other = after(first, { hash: 'three', unsettled: ['karmada-scheduler'] });
    expect(schedulerHash(other)).toBe('two.100');
    expect(schedulerHash(after(other, { hash: 'three' }))).toBe('three');
  });

  it.each(['two.', 'two.1x', 'two.1.1', 'twofold', 'one.100', `two.${'9'.repeat(16)}`])(
    'repairs a template that others changed to %s',
    (hash) => {
      expect(schedulerHash(after(after(BASE, { hash }), {}))).toBe('two');
    },
  );
});

describe('hasHash', () => {
  it.each([
    ['a', 'a', true],
    ['a.5', 'a', true],
    ['a.5', 'a.5', true],
    ['a.x', 'a', false],
    ['b', 'a', false],
    [undefined, 'a', false],
    [undefined, undefined, true],
  ])('compares %s with %s', (applied, hash, expected) => {
    expect(hasHash(applied, hash)).toBe(expected);
  });
});

describe('restartedComponents', () => {
  const decide = (given: Partial<Rotation>, host: Snapshot['host'] = BASE.host) => {
    const rotation = rotationOf({ writtenAt: NOW, ...given });
    const facts = factsWith(rotation, { authorities: [authorityWith(rotation)] });
    const { authority } = rotation;
    const pods = authority === 'etcd-ca' ? ['etcd-0', 'apiserver-0'] : ['scheduler-0'];
    const found = restartedComponents(
      { kind: 'restart', authority, pods, message: '' },
      facts,
      host,
    );
    return [[...found.own], found.others];
  };
  const own = [[['karmada-scheduler', NOW]], []];
  const others = [[], ['karmada-scheduler']];

  it.each<[string, Partial<Rotation>, readonly unknown[]]>([
    ['the operator in Switching', { phase: 'Switching' }, own],
    ['the operator after an abort', { returns: true }, own],
    ['the operator in Completing', { phase: 'Completing', from: A }, own],
    ['a user before the new CA signs', {}, others],
    [
      'a user for etcd',
      { authority: 'etcd-ca', phase: 'Completing' },
      [[['karmada-apiserver', NOW]], ['etcd']],
    ],
  ])('names %s', (_, given, expected) => {
    expect(decide(given)).toEqual(expected);
  });

  it('names a user when the restart of the operator was in vain', () => {
    const { host } = after(BASE, { restarts: restarts(NOW) });
    expect(decide({ phase: 'Switching' }, host)).toEqual(others);
    expect(decide({ phase: 'Switching', writtenAt: NOW + 1 }, host)[0]).toHaveLength(1);
  });
});
