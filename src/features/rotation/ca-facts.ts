/** Facts about the rotation of a CA, from Secrets, Pods and responses that were read just now: pure. */
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { claimAnnotationIn } from '../../etcd-cluster/identity/record.ts';
import { isPaused } from '../../instance/pause.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { AuthorityFacts as Stored } from '../../pki/authority-facts.ts';
import type { CertificateInfo } from '../../pki/public-info.ts';
import { issuedAt } from '../../pki/reissue-rules.ts';
import type { AuthorityName } from '../../pki/types.ts';
import { rootOf } from './custom-facts.ts';
import type { AuthorityFacts, CustomFacts, PodFacts } from './facts.ts';
import { consumerOf, expectedPods, podFactsOf, type Workloads } from './pod-facts.ts';
import { sharedRoots, type SharedTrust } from './shared-trust.ts';

/** What a reconcile has read. */
export interface CaObservation {
  /** `metadata.name` of the Karmada. */
  readonly karmada: string;
  readonly name: AuthorityName;
  readonly stored: Stored;
  /** By `metadata.name`. */
  readonly secrets: ReadonlyMap<string, KubernetesObject>;
  readonly workloads: Workloads;
  readonly pods: readonly Pod[];
  /** PVCs of the Pods. */
  readonly claims: readonly KubernetesObject[];
  /** Monotonic. */
  readonly listedAt: number;
  /** By Pod, what it has shown of itself. */
  readonly shown: ReadonlyMap<string, Pick<PodFacts, 'probes' | 'presented'>>;
  readonly shared?: SharedTrust;
  /** See `AuthorityFacts`. */
  readonly agents?: readonly string[];
  /** See `AuthorityFacts`. */
  readonly custom?: CustomFacts;
  /** What the control plane shows of `ca`; absent for other CAs, and without a rotation. */
  readonly inside?: Pick<AuthorityFacts, 'objects' | 'signedRequest'>;
}

/** Returns the facts. */
export function caAuthority(seen: CaObservation): AuthorityFacts {
  const { name, stored, workloads } = seen;
  const named = (suffix: string): string => instanceName(seen.karmada, suffix);
  const backup = named(SECRET_SUFFIX.caBackup);
  return {
    authority: name,
    active: rootOf(stored.active),
    ...optionalField('successorFault', stored.successorFault),
    ...optionalField('custom', seen.custom),
    secrets: stored.secrets.map(({ role, ...secret }) => ({
      name: named(role),
      ...secret,
      ...pausedFact(seen, named(role)),
    })),
    backup: {
      name: backup,
      active: stored.saved,
      keys: [...stored.pairs.keys()],
      ...(stored.successor && { successor: rootOf(stored.successor) }),
      crossSigned: stored.crossSigned,
      probes: [...stored.probes.keys()],
      ...pausedFact(seen, backup),
    },
    known: [...stored.known, ...(seen.custom?.offer ? [seen.custom.offer.sha256] : [])],
    sinceCreation: rootsSinceCreation(seen),
    pods: {
      listedAt: seen.listedAt,
      items: seen.pods.flatMap((pod) => podFacts(seen, pod)),
      expected: expectedPods(workloads, name),
    },
    objects: [
      ...sharedRoots(seen.shared, name),
      ...(name === 'etcd-ca' ? stampsOf(seen) : []),
      ...(seen.inside?.objects ?? []),
    ],
    ...optionalField('signedRequest', seen.inside?.signedRequest),
    ...optionalField('agents', seen.agents),
  };
}

function pausedFact({ secrets }: CaObservation, name: string): { readonly isPaused?: true } {
  const secret = secrets.get(name);
  return secret !== undefined && isPaused(secret) ? { isPaused: true } : {};
}

/** Time between the issue of a CA and the creation of Secrets with it, in an installation that was interrupted. */
const INSTALLATION_MS = 600_000;

/**
 * CAs that are as old as all Secrets with an active CA: the operator creates these with both CAs. A Secret that was restored later is
 * younger, and may have been without the successor. Those of components that are installed later contain what these have.
 */
function rootsSinceCreation({
  karmada,
  stored,
  secrets,
  custom,
}: CaObservation): readonly string[] {
  const created = stored.secrets
    .filter(({ role }) => role === 'cert' || role === 'etcd-cert')
    .map(({ role }) => secrets.get(instanceName(karmada, role))?.metadata.creationTimestamp)
    .map((time) => parseTime(time));
  // A user may have created both CAs together with the control plane, and appended the second one later.
  if (custom !== undefined) return [];
  const isAsOld = (root: CertificateInfo): boolean =>
    created.every((time) => Math.abs(time - issuedAt(root)) <= INSTALLATION_MS);
  return [stored.active, ...(stored.successor ? [stored.successor] : [])]
    .filter(isAsOld)
    .map(({ sha256 }) => sha256);
}

/** CAs to which the data in the PVCs of the members belong. Those of former members do not count. */
const stampsOf = ({ claims, listedAt }: CaObservation): AuthorityFacts['objects'] =>
  claims.map(({ metadata }) => {
    const stamp = claimAnnotationIn(metadata.annotations);
    const name = `PersistentVolumeClaim ${metadata.name}`;
    const roots = typeof stamp === 'object' ? [stamp.ca] : [];
    return { name, kind: 'stamp', roots, observedAt: listedAt };
  });

const UNSEEN = { probes: [], presented: [] };

function podFacts({ name, workloads, shown }: CaObservation, pod: Pod): readonly PodFacts[] {
  const component = consumerOf(pod, name);
  if (component === undefined) return [];
  const seen = shown.get(pod.metadata.name) ?? UNSEEN;
  return [podFactsOf(pod, component, workloads.get(component), seen)];
}
