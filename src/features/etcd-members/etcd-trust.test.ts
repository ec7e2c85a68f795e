import { describe, expect, it } from '@jest/globals';
import { TEMPLATES } from '../../components/__fixtures__/golden.ts';
import { EFFECTIVE_HASH } from '../../components/etcd/effective-hash.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { isWorkload } from '../../components/workload.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject, DesiredObjects } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { hasSameEffect, membershipIn } from '../../etcd-cluster/pods/membership.ts';
import { desiredStateOf } from '../components/desired-state.ts';
import { operatorDrivenChanges } from '../operator-rollout/rollout-order.ts';

const INITIAL = 'operator.karmada.io/etcd-initial-trust';
const INSTALLED = { secretRef: { name: 'admin', namespace: 'team' } };

const isSet = ({ object }: DesiredObject): boolean => object.kind === 'StatefulSet';

/** The snapshot of a control plane with this StatefulSet. */
function snapshotWith(set: KubernetesObject | undefined): Snapshot {
  const snapshot = snapshotOf(wishOf(), []);
  if (set === undefined) return snapshot;
  const { host } = snapshotOf(wishOf(), ['etcd']);
  const others = host.objects.filter(({ kind }) => kind !== 'StatefulSet');
  const etcdBootstrap = { membership: membershipIn(set, 'existing') };
  return { ...snapshot, host: { ...host, objects: [...others, set] }, etcdBootstrap };
}

/** @param unsettled whether kubelets may still mount the former CAs */
function desiredFor(
  set: KubernetesObject | undefined,
  etcd: string,
  unsettled = false,
): { readonly desired: DesiredObjects; readonly found: DesiredObject } {
  const { restartHashes, formerRestartHashes } = VIEW;
  const view = {
    ...VIEW,
    restartHashes: { ...restartHashes, etcd },
    formerRestartHashes: { ...formerRestartHashes, etcd },
  };
  const rotation = { conditions: [], dueAt: Infinity, unsettled: new Set(['etcd'] as const) };
  const snapshot = { ...snapshotWith(set), ...(unsettled && { rotation }) };
  const { desired } = desiredStateOf(TEMPLATES, snapshot, view);
  const found = desired.objects.find(isSet);
  if (found === undefined) throw new Error('there is no StatefulSet');
  return { desired, found };
}

const templateOf = (object: KubernetesObject): Readonly<Record<string, string>> =>
  (isWorkload(object) ? object.spec.template.metadata.annotations : undefined) ?? {};

/** StatefulSet of an operator release that hashed no CA for etcd. */
const EARLIER = ((): KubernetesObject => {
  const found = wishOf().objects.find(isSet);
  if (found === undefined) throw new Error('there is no StatefulSet');
  return live(found);
})();

describe('CAs that etcd trusts', () => {
  it('are hashed in the Pod template of a new etcd, and restart it when they change', () => {
    const first = desiredFor(undefined, 'one').found;
    expect(templateOf(first.object)[CERTIFICATES_HASH_ANNOTATION]).toBe('one');
    expect(first.object.metadata.annotations?.[INITIAL]).toBeUndefined();
    const set = live(first);
    expect(hasSameEffect(set, desiredFor(set, 'one').found.object)).toBe(true);
    const changed = desiredFor(set, 'two').found;
    expect(templateOf(changed.object)[CERTIFICATES_HASH_ANNOTATION]).toBe('two');
    expect(hasSameEffect(set, changed.object)).toBe(false);
  });

  it('restart no member of an etcd without the hash because of a new version of the operator', () => {
    const { desired, found } = desiredFor(EARLIER, 'one');
    expect(templateOf(found.object)[CERTIFICATES_HASH_ANNOTATION]).toBeUndefined();
    expect(templateOf(found.object)[EFFECTIVE_HASH]).toBe(templateOf(EARLIER)[EFFECTIVE_HASH]);
    expect(hasSameEffect(EARLIER, found.object)).toBe(true);
    expect(found.object.metadata.annotations?.[INITIAL]).toBe('one');
    const driven = operatorDrivenChanges(desired, snapshotWith(EARLIER), INSTALLED, false);
    expect(driven.map(({ step }) => step)).not.toContain('etcd');
  });

  it('restart its members when they change afterwards, and not only with the limit of rollouts', () => {
    const set = live(desiredFor(EARLIER, 'one').found);
    expect(hasSameEffect(set, desiredFor(set, 'one').found.object)).toBe(true);
    const { desired, found } = desiredFor(set, 'two');
    expect(templateOf(found.object)[CERTIFICATES_HASH_ANNOTATION]).toBe('two');
    expect(found.object.metadata.annotations?.[INITIAL]).toBeUndefined();
    expect(hasSameEffect(set, found.object)).toBe(false);
    const driven = operatorDrivenChanges(desired, snapshotWith(set), INSTALLED, false);
    expect(driven.map(({ step }) => step)).not.toContain('etcd');
    const after = live(found);
    expect(hasSameEffect(after, desiredFor(after, 'two').found.object)).toBe(true);
  });

  it('restart its members only when each kubelet mounts those of a rotation', () => {
    const set = live(desiredFor(EARLIER, 'one').found);
    const { found } = desiredFor(set, 'two', true);
    expect(templateOf(found.object)[CERTIFICATES_HASH_ANNOTATION]).toBeUndefined();
    const later = desiredFor(live(found), 'two').found;
    expect(templateOf(later.object)[CERTIFICATES_HASH_ANNOTATION]).toBe('two');
  });
});
