/** Blocks an upgrade of Karmada while stored objects have values that the new release does not accept. */
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { errorText, isStatus } from '../../kubernetes/client/errors.ts';
import { pagesOf } from '../../kubernetes/client/list.ts';
import type { ResourceType } from '../../kubernetes/objects/resources.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { ResolvedSpec, ResolveInput } from './resolve-spec.ts';
import { hasBegun } from '../../instance/upgrade-backup.ts';
import { keepVersions } from './version-guard.ts';
import {
  MAX_VALUES,
  removalsBetween,
  removedValuesBlocked,
  removedValuesIn,
  SEARCHED_KINDS,
  valuesUnread,
  type RemovedValue,
} from '../../instance/removed-values.ts';

type Reader = Pick<KubernetesClient, 'listPage'>;
type Removals = ReturnType<typeof removalsBetween>;

/** Bindings have complete lists of clusters. */
const PER_PAGE = 100;
/** Minimum interval of the search, in milliseconds. */
const AGAIN_MS = 15_000;

/**
 * Returns the spec to apply: with the running Karmada until no object has a removed value. Reads only before an upgrade that
 * removes values, and not again after the first one has started. Never rejects.
 */
export async function observeRemovedValues<T extends ResolvedSpec>(
  tools: { readonly clock: Clock },
  instance: Pick<InstanceCache, 'controlPlane' | 'removedValues'>,
  { status, host }: ResolveInput,
  resolved: T,
): Promise<T> {
  const removal = dueRemoval(status, resolved);
  if (removal === undefined) {
    delete instance.removedValues;
    return resolved;
  }
  const blocked = await blockedUpgrade(tools, instance, removal);
  if (blocked === undefined) return resolved;
  return {
    ...resolved,
    spec: keepVersions(resolved.spec, ['karmada'], { status, host }),
    nextReleases: [],
    blockedVersions: [...resolved.blockedVersions, blocked],
  };
}

interface DueRemoval {
  /** Release of the upgrade. */
  readonly to: string;
  readonly removals: Removals;
}

/** Returns what an upgrade that has not started removes; undefined without such an upgrade. */
function dueRemoval(
  status: ResolveInput['status'],
  { spec, rollback }: Pick<ResolvedSpec, 'spec' | 'rollback'>,
): DueRemoval | undefined {
  const isExempt = status.secretRef === undefined || rollback !== undefined || hasBegun(status);
  const { karmada: to } = wantedVersions(spec);
  if (isExempt || to === undefined) return undefined;
  const removals = removalsBetween(status.versions?.karmada, to);
  return removals.length === 0 ? undefined : { to, removals };
}

/** Returns the result of the last search, or searches again after some seconds. */
async function blockedUpgrade(
  { clock }: { readonly clock: Clock },
  instance: Pick<InstanceCache, 'controlPlane' | 'removedValues'>,
  { to, removals }: DueRemoval,
): Promise<BlockedChange | undefined> {
  const { removedValues: memo, controlPlane } = instance;
  const at = clock.monotonic();
  if (memo?.to === to && at - memo.at < AGAIN_MS) return memo.blocked;
  const blocked = await search(controlPlane?.client, removals, to);
  instance.removedValues = { to, at, blocked };
  return blocked;
}

async function search(
  client: Reader | undefined,
  removals: Removals,
  to: string,
): Promise<BlockedChange | undefined> {
  if (client === undefined) return valuesUnread(to, 'it is not connected');
  try {
    const found = await findRemovedValues(client, removals);
    return found.length === 0 ? undefined : removedValuesBlocked(to, found);
  } catch (error) {
    return valuesUnread(to, errorText(error));
  }
}

/**
 * Searches all objects of a control plane that may have removed values.
 * @returns at most 20
 * @throws ApiError, NetworkError
 */
export async function findRemovedValues(
  client: Reader,
  removals: Removals,
): Promise<readonly RemovedValue[]> {
  const found: RemovedValue[] = [];
  for (const type of SEARCHED_KINDS) {
    found.push(...(await findIn(client, type, removals)));
    if (found.length >= MAX_VALUES) break;
  }
  return found.slice(0, MAX_VALUES);
}

async function findIn(
  client: Reader,
  type: ResourceType,
  removals: Removals,
): Promise<readonly RemovedValue[]> {
  const found: RemovedValue[] = [];
  try {
    for await (const { items } of pagesOf(client, type, { limit: PER_PAGE })) {
      for (const item of items) found.push(...removedValuesIn(item, removals));
      if (found.length >= MAX_VALUES) break;
    }
    return found;
  } catch (error) {
    // The CRD does not exist, and so no object.
    if (isStatus(error, 404)) return found;
    throw error;
  }
}
