/** Reads a member cluster through its control plane, and compares it with the Works. Reads only, within a budget. */
import type { KubernetesClient, ListOptions } from '../../kubernetes/client/client-interface.ts';
import { errorText, isStatus } from '../../kubernetes/client/errors.ts';
import { pagesOf } from '../../kubernetes/client/list.ts';
import { identity } from '../../kubernetes/objects/object.ts';
import { keyOf, type ResourceType } from '../../kubernetes/objects/resources.ts';
import {
  compareObject,
  countsOf,
  orphanedObjects,
  type Compared,
  type DifferenceCounts,
  type ObjectDifference,
} from './difference.ts';
import { inBatches } from './batches.ts';
import { inParallel } from '../../kubernetes/fairness/in-parallel.ts';
import { MemberKinds, type DiscoveryClient } from './member-kinds.ts';
import { ReadBudget } from './read-budget.ts';
import { manifestsOf, MANAGED_SELECTOR, workNamespace, works, type WorkManifest } from './work.ts';

export interface CompareTools {
  /** Client of the control plane. */
  readonly controlPlane: Pick<KubernetesClient, 'listPage'>;
  /** Client of the member cluster. */
  readonly member: Pick<KubernetesClient, 'listPage' | 'find'> & DiscoveryClient;
  readonly signal?: AbortSignal;
}

/** Comparison of one member cluster, or why there is none. */
export type MemberComparison =
  | { readonly counts: DifferenceCounts; readonly objects: readonly ObjectDifference[] }
  | { readonly problem: string };

/** Works have complete objects, and the other objects only metadata. */
const WORKS_PER_PAGE = 50;
const OBJECTS_PER_PAGE = 250;

/** Compares a member cluster. Errors become the problem of the result. @param cluster name of its Cluster */
export async function compareMember(
  cluster: string,
  tools: CompareTools,
): Promise<MemberComparison> {
  try {
    const kinds = new MemberKinds(tools.member, tools.signal);
    // First, so that a member cluster that does not respond costs one call.
    const listed = await kinds.all();
    const known = { cluster, known: new Set<string>(), budget: new ReadBudget() };
    const compared = await worksOf(known, kinds, tools);
    const orphans = await inParallel(listed, (type) => orphansOf(type, known, tools));
    const all = [...compared, ...orphans.flat()];
    const objects = all.filter((one) => typeof one !== 'string');
    return { counts: countsOf(all), objects };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

const signalOf = ({ signal }: CompareTools): Pick<ListOptions, 'signal'> =>
  signal === undefined ? {} : { signal };

interface Known {
  readonly cluster: string;
  /** Identities of the objects of all Works. */
  readonly known: Set<string>;
  readonly budget: ReadBudget;
}

/** Compares the objects of all Works, and adds their identities to the known ones. */
async function worksOf(
  { cluster, known, budget }: Known,
  kinds: MemberKinds,
  tools: CompareTools,
): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  const pages = pagesOf(tools.controlPlane, works, {
    namespace: workNamespace(cluster),
    limit: WORKS_PER_PAGE,
    ...signalOf(tools),
  });
  for await (const { items } of pages) {
    budget.spendPage();
    for await (const manifests of inBatches(items.flatMap(manifestsOf))) {
      const identities = manifests.map(({ object }) => identity(object));
      budget.spend(identities);
      for (const one of identities) known.add(one);
      const compare = (manifest: WorkManifest) => compareLive(manifest, kinds, tools);
      const results = await inParallel(manifests, compare);
      budget.spend(results);
      compared.push(...results);
    }
  }
  return compared;
}

async function compareLive(
  manifest: WorkManifest,
  kinds: MemberKinds,
  tools: CompareTools,
): Promise<Compared> {
  const { object, action } = manifest;
  if (action === 'suspended') return compareObject(manifest, undefined);
  const type = await kinds.find(object.apiVersion, object.kind);
  // Karmada rejects a namespaced object without a namespace, too.
  if (type === undefined || (type.namespaced && object.metadata.namespace === undefined))
    return compareObject(manifest, null);
  const live = await tools.member.find(type, keyOf(object), signalOf(tools));
  return compareObject(manifest, live);
}

async function orphansOf(
  type: ResourceType,
  { cluster, known, budget }: Known,
  tools: CompareTools,
): Promise<readonly ObjectDifference[]> {
  const found: ObjectDifference[] = [];
  const pages = pagesOf(tools.member, type, {
    labelSelector: MANAGED_SELECTOR,
    metadataOnly: true,
    limit: OBJECTS_PER_PAGE,
    ...signalOf(tools),
  });
  try {
    for await (const { items } of pages) {
      budget.spendPage();
      for await (const objects of inBatches(items)) {
        const orphaned = orphanedObjects(cluster, objects, known);
        budget.spend(orphaned);
        found.push(...orphaned);
      }
    }
  } catch (error) {
    // A kind that has just been removed, or that an aggregated API server does not list.
    if (!isStatus(error, 404) && !isStatus(error, 405)) throw error;
  }
  return found;
}
