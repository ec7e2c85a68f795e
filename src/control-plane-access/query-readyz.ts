/** Readiness check of the API server of a control plane (`/readyz`). */
import { errorCode } from '../kubernetes/objects/records.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { Clock } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText, NetworkError } from '../kubernetes/client/errors.ts';

/** Result of a failed readiness check. */
export interface Refusal {
  readonly message: string;
  /** Set if the failure requires user action. */
  readonly problem?: Problem;
  /** The API server responds, but reports that it is not ready. */
  readonly listens?: true;
}

/**
 * Request timeout. An API server that waits for etcd accepts a request and does not respond; a later request may
 * succeed at once.
 */
const TIMEOUT_MS = 1_000;

/**
 * Health endpoint without two post-start hooks. They create built-in Kubernetes roles and priority classes, complete
 * last, and the objects of the operator do not depend on them.
 */
const READYZ =
  '/readyz?exclude=poststarthook/rbac/bootstrap-roles&exclude=poststarthook/scheduling/bootstrap-system-priority-classes';

const UNRESOLVED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Dependencies of the readiness check. */
export interface ReadinessTools {
  readonly client: Pick<KubernetesClient, 'raw'>;
  readonly clock: Clock;
  /**
   * Resolves the DNS name of the API server Service. Rejects with a Node.js DNS error code if the name does not
   * exist. Absent for a remote host cluster, whose Service names are not resolvable here.
   */
  readonly findName?: (() => Promise<unknown>) | undefined;
}

/**
 * Sends one readiness request. Never rejects.
 * @returns undefined if the API server is ready
 */
export async function queryReadyz({
  client,
  clock,
  findName,
}: ReadinessTools): Promise<Refusal | undefined> {
  try {
    const { status } = await client.raw(READYZ, { timeoutMs: TIMEOUT_MS });
    if (status === 200) return undefined;
    return {
      message: `its API server is not ready (/readyz returned HTTP ${String(status)})`,
      listens: true,
    };
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof NetworkError && isUnresolved(error)) return notResolved(error);
    // The API server does not respond while it waits for etcd, whose name is in the same DNS domain.
    const cause = code === 'TIMEOUT' ? await nameError(clock, findName) : undefined;
    if (cause !== undefined) return notResolved(cause);
    return { message: `its API server is unreachable (${errorText(error)})` };
  }
}

const isUnresolved = (error: unknown): boolean => UNRESOLVED.has(String(errorCode(error)));

function notResolved(error: unknown): Refusal {
  const message = `spec.hostCluster.networking.dnsDomain: the DNS name of the karmada-apiserver Service was not resolved (${errorText(error)}); set the DNS domain of the host cluster, or check its DNS service`;
  return { message, problem: { reason: 'NameNotResolved', message } };
}

/**
 * Resolves the Service name. @returns the DNS error if the name does not exist; undefined if it exists or the lookup
 * timed out
 */
function nameError(clock: Clock, findName: ReadinessTools['findName']): Promise<unknown> {
  if (findName === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const cancel = clock.after(TIMEOUT_MS, () => resolve(undefined));
    findName()
      .then(
        () => undefined,
        (error: unknown) => (isUnresolved(error) ? error : undefined),
      )
      .then((cause) => {
        cancel();
        resolve(cause);
      }, resolve);
  });
}
