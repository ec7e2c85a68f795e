/** The etcd of a control plane that the Go operator created: pure. */
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Warning } from '../../api/warnings/warnings.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';
import { membersIn } from '../../etcd-cluster/pods/membership.ts';
import { specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

const PLAIN_PEERS = '--listen-peer-urls=http:';

/**
 * Whether a StatefulSet has the Pod template of the Go operator, which this operator has not changed. It keeps that: the
 * members know each other by http peer URLs.
 */
export function hasGoTemplate(live: KubernetesObject): boolean {
  if (live.metadata.annotations?.[APPLIED_HASH] !== undefined) return false;
  const containers = specOf(live).template?.spec?.containers ?? [];
  return containers.some(({ command = [] }) =>
    command.some((flag) => flag.startsWith(PLAIN_PEERS)),
  );
}

/** Members of an etcd with http peer URLs do not change. */
export function adoptedStep(
  live: KubernetesObject,
  { components }: Pick<Snapshot['spec'], 'components'>,
): MemberStep {
  const [running, wanted] = [membersIn(live), components.etcd.local?.replicas];
  if (wanted === undefined || running === wanted) return { kind: 'none' };
  return {
    kind: 'blocked',
    reason: 'EtcdMembersBlocked',
    message: `spec.components.etcd.local.replicas: is ${wanted}, but ${nameOf(live)} has ${running} members of the Go operator, whose number changes only after the steps that the condition EtcdAdopted describes; set ${running}, or take these steps first`,
  };
}

/** Warns about an etcd that keeps the Pod template of the Go operator. */
export function adoptedEtcdWarnings({ host }: Pick<Snapshot, 'host'>): readonly Warning[] {
  return host.objects
    .filter((object) => object.kind === 'StatefulSet' && hasGoTemplate(object))
    .map((object) => ({
      reason: 'EtcdTemplateKept',
      message: `${nameOf(object)}: keeps the Pod template of the Go operator, with unencrypted traffic between members and its probes; changes of spec.components.etcd.local have no effect. The condition EtcdAdopted has the steps to the current template, and the command that allows them.`,
    }));
}
