/** Asks the API server of a control plane whether it is ready. */
import type { Problem } from '../api/problem.ts';
import type { Clock } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText, NetworkError } from '../kubernetes/errors.ts';

/** Why it is not ready. */
export interface Refusal {
  readonly message: string;
  /** When waiting does not help. */
  readonly problem?: Problem;
  /** It answers, be it only that it is not ready. */
  readonly listens?: true;
}

/** An API server that waits for its etcd takes a request and keeps it; the next one may be answered at once. */
const TIMEOUT_MS = 1_000;

/**
 * Everything /readyz asks for but Kubernetes' own roles and priority classes, which come last and which
 * our objects do not need.
 */
const READYZ =
  '/readyz?exclude=poststarthook/rbac/bootstrap-roles&exclude=poststarthook/scheduling/bootstrap-system-priority-classes';

const UNRESOLVED: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** How an API server is asked. */
export interface ReadinessTools {
  readonly client: Pick<KubernetesClient, 'raw'>;
  readonly clock: Clock;
  /**
   * Looks up the name of its Service. @throws Error with a code of Node's when there is no such name. Absent where that
   * name says nothing, as it is one of another cluster.
   */
  readonly findName?: (() => Promise<unknown>) | undefined;
}

/** Asks /readyz once. Never rejects. @returns undefined when it is ready */
export async function askReadiness({
  client,
  clock,
  findName,
}: ReadinessTools): Promise<Refusal | undefined> {
  try {
    const { status } = await client.raw(READYZ, { timeoutMs: TIMEOUT_MS });
    if (status === 200) return undefined;
    return { message: `its API server answers /readyz with ${String(status)}`, listens: true };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (error instanceof NetworkError && isUnresolved(error)) return notResolved(error);
    // It hangs while it waits for its etcd, which it looks for in the same DNS domain.
    const cause = code === 'TIMEOUT' ? await nameError(clock, findName) : undefined;
    if (cause !== undefined) return notResolved(cause);
    return { message: `it cannot be reached: ${errorText(error)}` };
  }
}

const isUnresolved = (error: unknown): boolean =>
  UNRESOLVED.has(String((error as { readonly code?: unknown }).code));

function notResolved(error: unknown): Refusal {
  const message = `the Service of karmada-apiserver cannot be found by its DNS name (${errorText(error)}): check spec.hostCluster.networking.dnsDomain and the cluster's DNS`;
  return { message, problem: { reason: 'NameNotResolved', message } };
}

/** Why there is no such name; undefined when there is one, or when nobody says in time. */
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
