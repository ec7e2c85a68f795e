/** Reads the version of karmada-apiserver from its `/version` endpoint. */
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import type { RawAnswer } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { ControlPlaneClient } from '../../control-plane-access/control-plane-client.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { COMPONENT } from '../../api/labels.ts';
import { isRolledOut, REVISION } from '../../components/rollout.ts';
import type { ControlPlaneSnapshot } from '../../instance/snapshot.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';

const ASK_TIMEOUT_MS = 1_000;

interface Servers {
  readonly workload: KubernetesObject | undefined;
  /** Pods of the control plane. */
  readonly pods: readonly Pod[];
}

/**
 * Returns the version of the running API server. The operator queries it until only Pods of the current revision can
 * answer, and then uses the remembered version until the revision changes.
 */
export async function runningVersion(
  instance: InstanceCache,
  controlPlane: ControlPlaneClient,
  servers: Servers,
): Promise<Pick<ControlPlaneSnapshot, 'kubernetesVersion'>> {
  const revision = revisionOf(servers.workload);
  if (instance.version?.revision !== revision) {
    const kubernetes = await readVersion(controlPlane);
    const answered = isAlone(servers) ? revision : undefined;
    if (kubernetes !== undefined) instance.version = { revision: answered, kubernetes };
  }
  return instance.version ? { kubernetesVersion: instance.version.kubernetes } : {};
}

/** Whether only the current revision can answer. A terminating Pod of an older one still answers for a while. */
const isAlone = ({ workload, pods }: Servers): boolean =>
  workload !== undefined &&
  isRolledOut(workload) &&
  pods.every(
    ({ metadata }) =>
      metadata.labels?.[COMPONENT] !== 'karmada-apiserver' ||
      metadata.deletionTimestamp === undefined,
  );

async function readVersion({ client, calls }: ControlPlaneClient): Promise<string | undefined> {
  try {
    const ask = (): Promise<RawAnswer> => client.raw('/version', { timeoutMs: ASK_TIMEOUT_MS });
    const answer = await calls.run('version', ask, true);
    if (answer === 'late') return undefined;
    return gitVersionIn(answer.value.body);
  } catch {
    return undefined;
  }
}

/** As of all releases. The version becomes a part of the status. */
const GIT_VERSION = /^v\d{1,4}\.\d{1,4}[0-9A-Za-z.+-]{0,64}$/;

/** Returns the version in a response of `/version`. @returns undefined for another text */
export function gitVersionIn(body: string): string | undefined {
  try {
    const { gitVersion } = fieldsOf(parseJsonWithin(body, { size: UNTRUSTED.record }));
    return typeof gitVersion === 'string' && GIT_VERSION.test(gitVersion) ? gitVersion : undefined;
  } catch {
    return undefined;
  }
}

function revisionOf(workload: KubernetesObject | undefined): string {
  const revision = workload?.metadata.annotations?.[REVISION];
  return `${workload?.metadata.uid ?? ''}/${revision ?? ''}`;
}
