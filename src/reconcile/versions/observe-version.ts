/** Which version karmada-apiserver itself says it is. */
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { Instance } from '../instance.ts';
import { COMPONENT } from '../../api/labels.ts';
import { isRolledOut } from '../rollout.ts';
import type { ControlPlaneSnapshot } from '../snapshot.ts';

const ASK_TIMEOUT_MS = 1_000;

interface Servers {
  readonly workload: KubernetesObject | undefined;
  /** Pods of the instance. */
  readonly pods: readonly KubernetesObject[];
}

/** The version of what runs; asked until a revision of its workload alone can answer, then no more. */
export async function runningVersion(
  instance: Instance,
  controlPlane: ControlPlane,
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

/** Whether no pod of an older revision answers any more; one that ends does so for a while. */
const isAlone = ({ workload, pods }: Servers): boolean =>
  workload !== undefined &&
  isRolledOut(workload) &&
  pods.every(
    ({ metadata }) =>
      metadata.labels?.[COMPONENT] !== 'karmada-apiserver' ||
      metadata.deletionTimestamp === undefined,
  );

async function readVersion({ client }: ControlPlane): Promise<string | undefined> {
  try {
    const answer = await client.raw('/version', { timeoutMs: ASK_TIMEOUT_MS });
    const { gitVersion } = JSON.parse(answer.body) as { gitVersion?: string };
    return gitVersion;
  } catch {
    return undefined;
  }
}

function revisionOf(workload: KubernetesObject | undefined): string {
  const revision = workload?.metadata.annotations?.['deployment.kubernetes.io/revision'];
  return `${workload?.metadata.uid ?? ''}/${revision ?? ''}`;
}
