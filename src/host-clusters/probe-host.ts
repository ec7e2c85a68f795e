/** Probes a host cluster and evaluates its caches. */
import type { Problem } from '../api/reasons/problem.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import { firstStale } from '../kubernetes/informers/freshness.ts';
import { unreachable, denied, lacking, notObserved } from './host-problems.ts';
import type { Informer } from '../kubernetes/informers/informer.ts';
import type { HostPermissions } from '../permissions/host-permissions.ts';

/**
 * Requests `/version` of a host cluster. Never rejects.
 * @param at name of the host cluster for messages
 * @param timeoutMs milliseconds
 * @returns undefined if the host cluster responds with status 200
 */
export async function versionRefusal(
  client: Pick<KubernetesClient, 'raw'>,
  at: string,
  timeoutMs: number,
): Promise<Problem | undefined> {
  try {
    const { status } = await client.raw('/version', { timeoutMs });
    if (status === 401 || status === 403) return denied(at, `HTTP ${status}`);
    return status === 200 ? undefined : unreachable(at, `HTTP ${status}`);
  } catch (error) {
    return unreachable(at, errorText(error));
  }
}

/** Caches of a host cluster, and the permissions of the operator there. */
interface CachesOfHost {
  readonly informers: readonly Pick<Informer, 'hasSynced' | 'overflow' | 'problem' | 'freshness'>[];
  readonly rights: Pick<HostPermissions, 'missingFor' | 'suspect'>;
}

/**
 * Explains why the caches of a host cluster are unusable.
 * @param at name of the host cluster for messages
 * @returns undefined if all caches are synced and fresh
 */
export function cacheProblem({ informers, rights }: CachesOfHost, at: string): Problem | undefined {
  const full = informers.find(({ overflow }) => overflow !== undefined)?.overflow;
  if (full !== undefined) return { reason: 'HostLimitExceeded', message: `${at}: ${full}` };
  const informer = informers.find(({ hasSynced }) => !hasSynced);
  if (informer === undefined) return staleness({ informers, rights }, at);
  const text = informer.problem ?? 'the initial list of its objects is not complete';
  return /: 40[13] /.test(text) ? forbidden(rights, at, text) : unreachable(at, text);
}

/** Reports missing permissions. They are known shortly after the forbidden call, so `denied` bridges the gap. */
function forbidden(rights: CachesOfHost['rights'], at: string, text: string): Problem {
  rights.suspect();
  const missing = rights.missingFor('');
  return missing.length === 0 ? denied(at, text) : lacking(at, missing, text);
}

/** Explains why synced caches are stale. */
function staleness({ informers, rights }: CachesOfHost, at: string): Problem | undefined {
  const found = firstStale(informers);
  if (found === undefined) return undefined;
  return found.isDenied ? forbidden(rights, at, found.stale) : notObserved(at, found.stale);
}
