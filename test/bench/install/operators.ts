import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { operatorNamespace, release } from '../../demo/install.ts';
import { installOperator } from '../../harness/operator.ts';
import { remove, type Session } from './session.ts';
import {
  installUpstream,
  upstreamCrd,
  upstreamName,
  upstreamNamespace,
} from '../../harness/go-operator.ts';

/** An operator in the cluster. It runs only during its measurement. */
export interface Operator {
  readonly label: 'ours' | 'upstream';
  /** Namespace of its Deployment and its lease. */
  readonly namespace: string;
  /** Name of its Deployment, of its container and of its lease. */
  readonly name: string;
  readonly crd: KubernetesObject;
}

export type OperatorLabel = Operator['label'];

/** Installs the operator of this checkout with its chart and 0 replicas. */
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

/** Installs an operator with 0 replicas. */
export function prepareOperator(session: Session, label: OperatorLabel): Promise<Operator> {
  return label === 'ours' ? prepareOurs(session) : prepareUpstream(session);
}

const crdKey = { name: `${karmadas.plural}.${karmadas.group}` };

/** Replaces the CRD by that of this operator. Karmada objects of the other operator must be deleted first. */
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

/** Lists the Pods of an operator, including terminating ones. */
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
 * Starts a new process of an operator and waits until it is the leader.
 * @returns its Pod
 */
export async function startOperator(
  session: Session,
  operator: Operator,
): Promise<KubernetesObject> {
  await installCrd(session, operator);
  await scale(session, operator, 1);
  const key = { namespace: operator.namespace, name: operator.name };
  return poll(
    `${operator.label} is the leader`,
    async (seen) => {
      const [pod] = await operatorPods(session, operator);
      const lease = await session.client.find(resources.Lease, key);
      const holder = (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
      seen(`pod ${pod?.metadata.name ?? 'none'}, holder ${holder}: ${JSON.stringify(pod?.status)}`);
      const leads = pod !== undefined && holder.startsWith(`${pod.metadata.name}_`);
      // The operator may be the leader before the kubelet reports its container as running.
      return leads && isReady(pod) ? pod : undefined;
    },
    { deadlineMs: 120_000, intervalMs: 500 },
  );
}

/** Scales an operator to 0 replicas and waits until its Pod is gone. */
export async function stopOperator(session: Session, operator: Operator): Promise<void> {
  await scale(session, operator, 0);
  await poll(
    `all Pods of ${operator.label} are gone`,
    async (seen) => {
      const pods = await operatorPods(session, operator);
      seen(pods.map(({ metadata }) => metadata.name).join(', '));
      return pods.length === 0 ? true : undefined;
    },
    { deadlineMs: 120_000, intervalMs: 500 },
  );
}
