/** The spec that a control plane runs after a rollback. Pure functions. */
import { without } from '../etcd-cluster/recovery/without.ts';
import type { DefaultedSpec } from '../api/defaults/defaults.ts';
import type { KarmadaSpec, PodSettings } from '../api/karmada.ts';
import { podSettingsFor, SELECTABLE } from '../api/defaults/pod-settings.ts';
import { wantedVersions } from '../api/versions/wanted-versions.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import { canonicalJson } from '../kubernetes/objects/intent.ts';
import type { FailedChange } from './ready-record.ts';

/** A change that failed, and what the operator returns to. */
export interface Rollback {
  readonly failed: FailedChange;
  /** Last spec that was Ready, with defaults. */
  readonly lastReady: DefaultedSpec;
  /** The spec that failed, with defaults. */
  readonly target: DefaultedSpec;
  /** Fields of the spec that differ. */
  readonly changed: readonly string[];
  /** Whether the rollback takes longer than the deadline of a step. */
  readonly isOverdue: boolean;
}

/**
 * Returns the spec to apply: the last ready one. Settings without a Pod template to return to stay as the user set
 * them: etcd, whose data cannot be downgraded, the host cluster, the CA and the policy.
 */
export function rollbackSpec({
  failed,
  lastReady,
  target,
}: Pick<Rollback, 'failed' | 'lastReady' | 'target'>): DefaultedSpec {
  const before = without(lastReady, 'customCertificate', 'podSettings', 'upgrade', 'suspend');
  const returnsEtcd = failed.step === 'etcd' && isSameEtcd(lastReady, target);
  const podSettings = returnedPodSettings(lastReady, target, returnsEtcd);
  const { customCertificate, upgrade, suspend, hostCluster } = target;
  return {
    ...before,
    hostCluster,
    ...(customCertificate && { customCertificate }),
    ...(upgrade && { upgrade }),
    ...(suspend !== undefined && { suspend }),
    ...(podSettings.length > 0 && { podSettings }),
    components: {
      ...lastReady.components,
      etcd: returnsEtcd ? returnedEtcd(lastReady, target) : target.components.etcd,
    },
  };
}

/** Settings of Pods: those of etcd are of the same spec as etcd. */
function returnedPodSettings(
  lastReady: DefaultedSpec,
  target: DefaultedSpec,
  returnsEtcd: boolean,
): readonly PodSettings[] {
  if (returnsEtcd) return lastReady.podSettings ?? [];
  const others = SELECTABLE.filter((key) => key !== 'etcd');
  return [
    ...podSettingsFor(lastReady.podSettings, others),
    ...podSettingsFor(target.podSettings, ['etcd']),
  ];
}

const isSameEtcd = (lastReady: DefaultedSpec, target: DefaultedSpec): boolean =>
  wantedVersions(lastReady).etcd === wantedVersions(target).etcd;

/**
 * etcd goes back only if its own step failed and its version stays: every restart is a risk, and data of a newer
 * version does not open with an older one. Members and storage stay as they are.
 */
function returnedEtcd(
  lastReady: DefaultedSpec,
  target: DefaultedSpec,
): DefaultedSpec['components']['etcd'] {
  const { etcd } = target.components;
  const before = lastReady.components.etcd.local;
  if (etcd.local === undefined || before === undefined) return etcd;
  const { replicas, volumeData, persistentVolumeClaimRetentionPolicy: retention } = etcd.local;
  return {
    local: {
      ...without(before, 'persistentVolumeClaimRetentionPolicy'),
      replicas,
      volumeData,
      ...(retention && { persistentVolumeClaimRetentionPolicy: retention }),
    },
  };
}

/** Fields that contain the policy, and not the change. */
const POLICY: ReadonlySet<string> = new Set(['spec.upgrade', 'spec.suspend', 'spec.certificates']);

/**
 * Returns the paths of the fields that differ, such as `spec.components.karmadaWebhook.extraArgs`. Tags that follow a
 * changed `spec.version` do not count.
 */
export function changedFields(before: KarmadaSpec, after: KarmadaSpec): readonly string[] {
  const fields = differing(before, after, 'spec').filter((field) => !POLICY.has(field));
  return fields.includes('spec.version')
    ? fields.filter((field) => !field.endsWith('.imageTag'))
    : fields;
}

/** Depth of `spec.components.karmadaWebhook.extraArgs`; deeper values are one field. */
const DEPTH = 4;

function differing(before: unknown, after: unknown, path: string): readonly string[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  if (POLICY.has(path) || path.split('.').length >= DEPTH) return [path];
  if (!isObject(before) || !isObject(after)) return [path];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => differing(before[name], after[name], `${path}.${name}`));
}
