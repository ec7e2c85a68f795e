/** What is done about one Karmada, from top to bottom. */
import type { Karmada, Phase } from '../api/karmada.ts';
import { formatErrors } from '../api/field-error.ts';
import { nameOwner } from '../api/naming.ts';
import { validate } from '../api/validation.ts';
import type { Reconcile, ReconcileResult } from '../kubernetes/worker.ts';
import { converge, type ConvergeTools } from './converge.ts';
import { connectMember } from '../members/grant.ts';
import { deletesObjects, finalize } from './finalize.ts';
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
      await tools.instances.forget(key);
      return {};
    }
    if (cached.metadata.deletionTimestamp !== undefined) {
      await tools.instances.forget(key);
      const [result] = await Promise.all([
        finalize(tools.host, cached, tools.clock),
        leaveOnce(tools, left, key, cached),
      ]);
      return result;
    }
    return reconcileLiving(tools, key, cached);
  };
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
  const refusal = refusalOf(tools, cached);
  if (refusal !== undefined) return refuse(tools, key, cached, refusal);
  const instance = tools.instances.get(key);
  if (cached.spec?.suspend === true) {
    const before = currentStatus(instance, cached);
    await writeStatus(tools, instance, cached, suspendedStatus(cached, before, tools.clock.wall()));
    return {};
  }
  const karmada = await prepare(tools.host, instance, cached);
  return karmada === undefined ? {} : converge(tools, instance, karmada);
}

interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly phase: Phase;
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
  if (errors.length > 0)
    return { reason: 'ValidationError', message: formatErrors(errors), phase: 'Failed' };
  if (karmada.spec?.hostCluster?.secretRef?.name)
    return {
      reason: 'Failed',
      message:
        'spec.hostCluster.secretRef: this release installs control planes only in its own cluster; remove it',
      phase: 'Failed',
    };
  return undefined;
}

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
  key: string,
  karmada: Karmada,
  { reason, message, phase }: Refusal,
): Promise<ReconcileResult> {
  const instance = tools.instances.get(key);
  const context = { before: currentStatus(instance, karmada), now: tools.clock.wall(), phase };
  await writeStatus(tools, instance, karmada, refusedStatus(karmada, { reason, message }, context));
  return {};
}
