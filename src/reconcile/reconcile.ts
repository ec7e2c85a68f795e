/** What is done about one Karmada, from top to bottom. */
import { FINALIZER, type Karmada, type Phase } from '../api/karmada.ts';
import { formatErrors, type FieldError } from '../api/field-error.ts';
import { nameOwner } from '../api/naming.ts';
import { validate } from '../api/validation.ts';
import { contradictingTags } from '../api/validation-version.ts';
import type { Reconcile, ReconcileResult } from '../kubernetes/worker.ts';
import { errorText } from '../kubernetes/errors.ts';
import { converge, type ConvergeTools } from './converge.ts';
import { connectMember } from '../members/grant.ts';
import { deletesObjects, finalize } from './finalize.ts';
import { isNamespaceEnding } from './host.ts';
import type { Instance } from './instance.ts';
import { leaveMembers } from './leave-members.ts';
import { prepare } from './prepare.ts';
import { refusedStatus, suspendedStatus } from './status.ts';
import { currentStatus, writeStatus } from './status-writer.ts';

/** Makes the work on one key. It does what can be done now and never waits. */
export function createReconcile(tools: ConvergeTools): Reconcile {
  /** Uids of Karmadas that have left their members, by key. */
  const left = new Map<string, string>();
  return async (key) => {
    const [namespace = '', name = ''] = key.split('/');
    const cached = tools.host.karmadas.cache.get({ namespace, name }) as Karmada | undefined;
    if (cached === undefined) {
      left.delete(key);
      await forget(tools, key);
      return {};
    }
    if (cached.metadata.deletionTimestamp !== undefined) {
      await forget(tools, key);
      await tellDeletion(tools, key, cached);
      const [result] = await Promise.all([
        finalize(tools, cached),
        leaveOnce(tools, left, key, cached),
      ]);
      return result;
    }
    if (await isNamespaceEnding(tools.host, namespace)) return reconcileEnding(tools, key, cached);
    return reconcileLiving(tools, key, cached);
  };
}

/** Says at the beginning of a deletion that nothing is ready any more. That it cannot be said holds nothing up. */
async function tellDeletion(tools: ConvergeTools, key: string, karmada: Karmada): Promise<void> {
  const { metadata, status: before = {} } = karmada;
  const goes = metadata.finalizers?.includes(FINALIZER) === true && deletesObjects(karmada);
  if (!goes || before.phase === 'Deleting') return;
  const finding = { reason: 'Deleting', message: 'the control plane is being deleted' };
  const context = { before, now: tools.clock.wall(), phase: 'Deleting' } as const;
  const next = refusedStatus(karmada, finding, context);
  try {
    await writeStatus(tools, { key, settled: new Map() }, karmada, next);
  } catch (error) {
    tools.log.warn({ karmada: key, error: errorText(error) }, 'status not written');
  }
}

async function forget({ instances, archives, etcds }: ConvergeTools, key: string): Promise<void> {
  archives.forget(key);
  etcds.forget(key);
  await instances.forget(key);
}

/** Once is enough: whoever does not answer then is let go. */
async function leaveOnce(
  { host, clock, log }: ConvergeTools,
  left: Map<string, string>,
  key: string,
  karmada: Karmada,
): Promise<void> {
  const { uid = '' } = karmada.metadata;
  if (left.get(key) === uid || !deletesObjects(karmada)) return;
  left.set(key, uid);
  await leaveMembers({ host, clock, log, connect: connectMember(clock) }, karmada);
}

async function reconcileLiving(
  tools: ConvergeTools,
  key: string,
  cached: Karmada,
): Promise<ReconcileResult> {
  const instance = tools.instances.get(key);
  const refusal = refusalOf(tools, cached);
  const suspended = cached.spec?.suspend === true;
  if (refusal !== undefined || suspended) tools.etcds.forget(key);
  if (refusal !== undefined) return refuse(tools, instance, cached, refusal);
  if (suspended) {
    const before = currentStatus(instance, cached);
    await writeStatus(tools, instance, cached, suspendedStatus(cached, before, tools.clock.wall()));
    return {};
  }
  const karmada = await prepare(tools.host, instance, cached);
  if (karmada === undefined) return {};
  const contradictions = contradictingTags(karmada.spec ?? {});
  if (contradictions.length > 0) {
    tools.etcds.forget(key);
    return refuse(tools, instance, karmada, invalidSpec(contradictions));
  }
  return converge(tools, instance, karmada);
}

interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly phase: Phase;
}

const TERMINATING: Refusal = {
  reason: 'NamespaceTerminating',
  message: 'the namespace is being deleted: nothing is made or changed in it any more',
  phase: 'Deleting',
};

/**
 * In a namespace that is being deleted there is only deletion. A Karmada comes last there: Kubernetes waits for all
 * pods first, and for an API server that lost its etcd that is its whole grace period.
 */
async function reconcileEnding(
  tools: ConvergeTools,
  key: string,
  karmada: Karmada,
): Promise<ReconcileResult> {
  await tools.instances.forget(key);
  await refuse(tools, tools.instances.get(key), karmada, TERMINATING);
  return finalize(tools, karmada);
}

/** Why nothing at all is done about a Karmada, or undefined. */
function refusalOf({ host }: ConvergeTools, karmada: Karmada): Refusal | undefined {
  const owner = nameOwner(identityOf(karmada), host.karmadas.cache.list().map(identityOf));
  if (owner !== undefined)
    return {
      reason: 'NameCollision',
      message: `Karmada ${owner.name} in this namespace is older and has the same names for its objects; delete this one and make it under another name`,
      phase: 'Failed',
    };
  const errors = validate(karmada);
  if (errors.length > 0) return invalidSpec(errors);
  if (karmada.spec?.hostCluster?.secretRef?.name)
    return {
      reason: 'Failed',
      message:
        'spec.hostCluster.secretRef: this release installs control planes only in its own cluster; remove it',
      phase: 'Failed',
    };
  return undefined;
}

const invalidSpec = (errors: readonly FieldError[]): Refusal => ({
  reason: 'ValidationError',
  message: formatErrors(errors),
  phase: 'Failed',
});

function identityOf({ metadata }: Pick<Karmada, 'metadata'>): {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly creationTimestamp: string;
} {
  const { name, namespace = '', uid = '', creationTimestamp = '' } = metadata;
  return { name, namespace, uid, creationTimestamp };
}

async function refuse(
  tools: ConvergeTools,
  instance: Instance,
  karmada: Karmada,
  { reason, message, phase }: Refusal,
): Promise<ReconcileResult> {
  const context = { before: currentStatus(instance, karmada), now: tools.clock.wall(), phase };
  await writeStatus(tools, instance, karmada, refusedStatus(karmada, { reason, message }, context));
  return {};
}
