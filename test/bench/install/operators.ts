import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { karmadas } from '../../../src/hosts/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { checkout } from '../../cluster/paths.ts';
import { poll } from '../../cluster/poll.ts';
import { operatorNamespace, release } from '../../demo/install.ts';
import { installOperator } from '../../harness/operator.ts';
import { remove, type Session } from './session.ts';
import { installUpstream, upstreamCrd, upstreamName, upstreamNamespace } from './upstream.ts';

/** An operator in the cluster; it runs only while it is measured. */
export interface Operator {
  readonly label: 'ours' | 'upstream';
  /** Where its Deployment and its lease are. */
  readonly namespace: string;
  /** Name of its Deployment, of its container and of its lease. */
  readonly name: string;
  readonly crd: KubernetesObject;
}

export type OperatorLabel = Operator['label'];

/** Installs this checkout's operator with its chart, without replicas. */
async function prepareOurs(session: Session): Promise<Operator> {
  await installOperator(session.cluster, { installCRDs: false, operator: { replicaCount: 0 } });
  const file = join(checkout, 'crds/operator.karmada.io_karmadas.yaml');
  const crd = load(await readFile(file, 'utf8')) as KubernetesObject;
  return { label: 'ours', namespace: operatorNamespace, name: release, crd };
}

async function prepareUpstream(session: Session): Promise<Operator> {
  await installUpstream(session);
  const crd = await upstreamCrd();
  return { label: 'upstream', namespace: upstreamNamespace, name: upstreamName, crd };
}

/** Puts an operator into the cluster, without a pod of it. */
export function prepareOperator(session: Session, label: OperatorLabel): Promise<Operator> {
  return label === 'ours' ? prepareOurs(session) : prepareUpstream(session);
}

const crdKey = { name: `${karmadas.plural}.${karmadas.group}` };

/** Gives the cluster this operator's definition of Karmada; objects of the other one must be gone. */
async function installCrd(session: Session, { crd }: Operator): Promise<void> {
  await remove(session, resources.CustomResourceDefinition, crdKey);
  await session.client.create(crd);
  await poll('Karmada objects can be listed', async (seen) => {
    const path = `/apis/${karmadas.group}/${karmadas.version}/${karmadas.plural}`;
    const { status, body } = await session.client.raw(path);
    seen(body);
    return status === 200 ? true : undefined;
  });
}

async function scale({ client }: Session, operator: Operator, replicas: number): Promise<void> {
  const key = { namespace: operator.namespace, name: operator.name };
  await client.patch(resources.Deployment, key, { spec: { replicas } }, { subresource: 'scale' });
}

/** Pods of an operator, whether they run or end. */
async function operatorPods(
  session: Session,
  { namespace }: Operator,
): Promise<KubernetesObject[]> {
  return [...(await session.client.list(resources.Pod, { namespace })).items];
}

function isReady({ status }: KubernetesObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

/**
 * Starts a new process of an operator and waits until it leads.
 * @returns its pod
 */
export async function startOperator(
  session: Session,
  operator: Operator,
): Promise<KubernetesObject> {
  await installCrd(session, operator);
  await scale(session, operator, 1);
  const key = { namespace: operator.namespace, name: operator.name };
  return poll(
    `${operator.label} leads`,
    async (seen) => {
      const [pod] = await operatorPods(session, operator);
      const lease = await session.client.find(resources.Lease, key);
      const holder = (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
      seen(`pod ${pod?.metadata.name ?? 'none'}, holder ${holder}: ${JSON.stringify(pod?.status)}`);
      const leads = pod !== undefined && holder.startsWith(`${pod.metadata.name}_`);
      // It may lead before the kubelet has told that its container runs.
      return leads && isReady(pod) ? pod : undefined;
    },
    { deadlineMs: 120_000, intervalMs: 500 },
  );
}

/** Ends an operator's process and waits until its pod is gone. */
export async function stopOperator(session: Session, operator: Operator): Promise<void> {
  await scale(session, operator, 0);
  await poll(
    `no pod of ${operator.label} is left`,
    async (seen) => {
      const pods = await operatorPods(session, operator);
      seen(pods.map(({ metadata }) => metadata.name).join(', '));
      return pods.length === 0 ? true : undefined;
    },
    { deadlineMs: 120_000, intervalMs: 500 },
  );
}
