/** Carries a plan out: the writes of one pass, and nothing that waits. */
import type { Applier, ApplyResult } from '../kubernetes/apply.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { isNamespaceTerminating, isNotFound, isStatus } from '../kubernetes/errors.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { pruneObject } from '../kubernetes/prune.ts';
import type { DesiredObject, Place } from './desired.ts';
import type { Replacement } from './etcd/plan-storage.ts';
import { replaceStorage } from './etcd/replace-storage.ts';
import type { Instance } from './instance.ts';
import { identity, isOurs, nameOf, wasApplied } from './objects.ts';
import { liveKey, type ActOutcome, type WriteProblem } from './outcome.ts';
import type { Apply, Plan } from './plan.ts';

/** What writes to one of the two clusters. */
export interface Writer {
  readonly client: KubernetesClient;
  readonly applier: Applier;
}

export interface ActTools {
  readonly instance: Instance;
  /** `metadata.name` of the Karmada */
  readonly name: string;
  readonly host: Writer;
  readonly controlPlane: Writer | undefined;
}

interface Collected {
  readonly live: Map<string, KubernetesObject>;
  readonly problems: WriteProblem[];
  readonly errors: unknown[];
  writes: number;
}

/** Does all that the plan allows, side by side. Never throws: what failed is in the outcome. */
export async function act(tools: ActTools, plan: Plan): Promise<ActOutcome> {
  const collected: Collected = { live: new Map(), problems: [], errors: [], writes: 0 };
  const attempt = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      collected.errors.push(error);
    }
  };
  await Promise.all([
    ...plan.applies
      .filter((item) => !isSettled(tools.instance, item))
      .map((item) => attempt(applyOne(tools, item, collected))),
    ...plan.removals.map(({ place, object }) =>
      attempt(removeOne(tools, place, object, collected)),
    ),
    ...(plan.restart ? [attempt(restartMember(tools, plan.restart, collected))] : []),
    ...(plan.replacement ? [attempt(replace(tools, plan.replacement, collected))] : []),
  ]);
  return collected;
}

const versionOf = (target: DesiredObject, live: KubernetesObject): string =>
  `${target.hash} ${live.metadata.uid} ${live.metadata.resourceVersion}`;

/** Whether this very version of the live object was seen to be as wanted. */
function isSettled({ settled }: Instance, { target, cached }: Apply): boolean {
  if (cached === undefined) return false;
  return settled.get(liveKey(target.place, target.id)) === versionOf(target, cached);
}

function writerOf(tools: ActTools, place: Place): Writer {
  const writer = tools[place];
  if (writer === undefined) throw new Error('There is no connection to the control plane');
  return writer;
}

async function applyOne(tools: ActTools, item: Apply, collected: Collected): Promise<void> {
  const { target, cached } = item;
  const result = await tryApply(tools, item);
  const key = liveKey(target.place, target.id);
  switch (result.outcome) {
    case 'unchanged':
      tools.instance.settled.set(key, versionOf(target, result.object));
      if (cached === undefined) collected.live.set(key, result.object);
      return;
    case 'created':
    case 'configured':
      collected.writes += 1;
      collected.live.set(key, result.object);
      return;
    case 'terminating':
      collected.live.set(key, result.object);
      return;
    case 'conflict':
    case 'immutable':
    case 'invalid':
    case 'namespace':
      collected.problems.push({
        step: target.step,
        reason: REASON[result.outcome],
        message: result.message,
      });
  }
}

const REASON = {
  conflict: 'Conflict',
  immutable: 'ImmutableField',
  invalid: 'ObjectRefused',
  namespace: 'NamespaceTerminating',
} as const;

type Attempt = ApplyResult | { readonly outcome: 'namespace'; readonly message: string };

async function tryApply(tools: ActTools, { target, cached }: Apply): Promise<Attempt> {
  try {
    return await writerOf(tools, target.place).applier.apply({
      desired: target.object,
      cached,
      partial: target.object.kind === 'CustomResourceDefinition',
      owns: (live) => isOurs(live, tools.name) || wasApplied(live, tools.name),
    });
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
    const message = `${nameOf(target.object)} cannot be made: its namespace is being deleted`;
    return { outcome: 'namespace', message };
  }
}

async function removeOne(
  tools: ActTools,
  place: Place,
  object: KubernetesObject,
  collected: Collected,
): Promise<void> {
  const { client, applier } = writerOf(tools, place);
  await pruneObject(client, { object, owns: (live) => isOurs(live, tools.name) });
  applier.forget(object);
  tools.instance.settled.delete(liveKey(place, identity(object)));
  collected.writes += 1;
}

/**
 * Only this very pod as it was seen: the proof that it may go is about no other, and not about one that has begun
 * to run meanwhile. When it is another by now, its own events bring the next pass.
 */
async function restartMember(
  { host }: ActTools,
  pod: KubernetesObject,
  collected: Collected,
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = pod.metadata;
  if (namespace === undefined || uid === undefined || resourceVersion === undefined) return;
  try {
    const guard = { uid, resourceVersion };
    await host.client.delete(host.client.typeOf(pod), { namespace, name }, guard);
    collected.writes += 1;
  } catch (error) {
    if (!isNotFound(error) && !isStatus(error, 409)) throw error;
  }
}

async function replace(
  { host, name }: ActTools,
  { wanted }: Replacement,
  collected: Collected,
): Promise<void> {
  collected.writes += await replaceStorage(host, name, wanted);
}
