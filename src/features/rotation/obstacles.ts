/** What delays or forbids rotations, in the words of a message: pure. */
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import { isRolledOut } from '../../components/rollout.ts';
import { isWorkload, type Workload } from '../../components/workload.ts';
import type { CertificatesView, Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import { ROTATION_AUTHORITIES, type RotationAuthority } from './authority.ts';
import type { Obstacles } from './facts.ts';

interface Seen {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView | undefined;
  /** Deployments that mount what is rotated, as they were read just now. */
  readonly deployments: readonly KubernetesObject[];
}

/** Returns the obstacles. @param unread why Secrets or Pods could not be read */
export function obstaclesOf(seen: Seen, unread: string | undefined): Obstacles {
  const { snapshot, view } = seen;
  const unobserved = unread ?? snapshot.controlPlane.unobserved?.message;
  const otherChange = otherChangeIn(seen);
  const notReady = unreadiness(snapshot);
  return {
    unsupported: unsupportedIn(snapshot, view),
    ...(unobserved !== undefined && { unobserved }),
    ...(otherChange !== undefined && { otherChange }),
    ...(notReady !== undefined && { notReady }),
  };
}

/** Why a request is refused. Only what tests prove is possible. */
function unsupportedIn(
  { remote }: Snapshot,
  view: CertificatesView | undefined,
): ReadonlyMap<RotationAuthority, string> {
  const kept = keptKey(remote !== undefined, view?.sharesKey === true);
  return new Map(
    ROTATION_AUTHORITIES.flatMap((name): readonly (readonly [RotationAuthority, string])[] => {
      if (name === 'service-account-key') return kept === undefined ? [] : [[name, kept]];
      return [[name, 'this version of the operator rotates only service-account-key']];
    }),
  );
}

function keptKey(isRemote: boolean, isShared: boolean): string | undefined {
  if (isRemote)
    return 'this version of the operator does not rotate keys of control planes in remote host clusters';
  return isShared
    ? 'Pods of the Go operator use the key also for a certificate; this version of the operator does not rotate it'
    : undefined;
}

function otherChangeIn({ snapshot, view, deployments }: Seen): string | undefined {
  const { rollback, karmada, etcdBootstrap } = snapshot;
  if (rollback !== undefined) return 'the rollback';
  if (etcdBootstrap?.recovery !== undefined) return 'the recovery of etcd';
  const { phase } = karmada.status?.upgrade ?? {};
  if (karmada.status?.upgrade !== undefined && phase !== 'RolledBack') return 'the upgrade';
  const outdated = deployments.find((one) => !isCurrent(one, view));
  return outdated && `the rollout of Deployment ${outdated.metadata.name}`;
}

/** Whether all Pods of a Deployment run with the present certificates and keys. */
function isCurrent(deployment: KubernetesObject, view: CertificatesView | undefined): boolean {
  const name = deployment.metadata.labels?.[COMPONENT] ?? '';
  const hashes = [view?.restartHashes, view?.formerRestartHashes].map((all) => hashOf(all, name));
  return (
    isRolledOut(deployment) && isWorkload(deployment) && hashes.includes(appliedHash(deployment))
  );
}

const hashOf = (
  hashes: Readonly<Partial<Record<string, string>>> = {},
  name: string,
): string | undefined => hashes[name];

const appliedHash = ({ spec }: Workload): string | undefined =>
  spec.template.metadata.annotations?.[CERTIFICATES_HASH_ANNOTATION];

/** Why the control plane is not ready, as its status says. */
function unreadiness({ karmada, controlPlane }: Snapshot): string | undefined {
  if (controlPlane.state !== 'ready') return controlPlane.message;
  const { metadata, status } = karmada;
  const of = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const [ready, progressing] = [of('Ready'), of('Progressing')];
  if (ready === undefined) return 'its state is not known yet';
  if (ready.status !== 'True') return ready.message;
  if (ready.observedGeneration !== metadata.generation) return 'its spec has changed';
  return progressing?.status === 'True' ? progressing.message : undefined;
}
