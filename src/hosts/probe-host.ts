/** Asks a host whether it answers. */
import type { Problem } from '../api/problem.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import { firstStale } from '../kubernetes/freshness.ts';
import { away, denied, lacking, notObserved } from './host-problems.ts';
import type { Informer } from '../kubernetes/informer.ts';
import type { HostRights } from '../rights/host-rights.ts';

/** Why a host does not tell its version, or undefined. @param at names the host */
export async function versionRefusal(
  client: Pick<KubernetesClient, 'raw'>,
  at: string,
  timeoutMs: number,
): Promise<Problem | undefined> {
  try {
    const { status } = await client.raw('/version', { timeoutMs });
    if (status === 401 || status === 403) return denied(at, `HTTP ${status}`);
    return status === 200 ? undefined : away(at, `HTTP ${status}`);
  } catch (error) {
    return away(at, errorText(error));
  }
}

/** Caches of a host, and what the operator may not do there. */
interface CachesOfHost {
  readonly informers: readonly Pick<Informer, 'hasSynced' | 'overflow' | 'problem' | 'freshness'>[];
  readonly rights: Pick<HostRights, 'missingFor' | 'suspect'>;
}

/** Why the caches of a host are of no use, or undefined. @param at names the host */
export function cacheProblem({ informers, rights }: CachesOfHost, at: string): Problem | undefined {
  const full = informers.find(({ overflow }) => overflow !== undefined)?.overflow;
  if (full !== undefined) return { reason: 'HostLimitExceeded', message: `${at}: ${full}` };
  const informer = informers.find(({ hasSynced }) => !hasSynced);
  if (informer === undefined) return staleness({ informers, rights }, at);
  const text = informer.problem ?? 'its objects are still being read';
  return /: 40[13] /.test(text) ? forbidden(rights, at, text) : away(at, text);
}

/** Which rights lack is known a moment later than that a call was forbidden. */
function forbidden(rights: CachesOfHost['rights'], at: string, text: string): Problem {
  rights.suspect();
  const missing = rights.missingFor('');
  return missing.length === 0 ? denied(at, text) : lacking(at, missing, text);
}

/** Why caches that were full once do not count any more. */
function staleness({ informers, rights }: CachesOfHost, at: string): Problem | undefined {
  const found = firstStale(informers);
  if (found === undefined) return undefined;
  return found.isDenied ? forbidden(rights, at, found.stale) : notObserved(at, found.stale);
}
