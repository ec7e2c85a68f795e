/** Reads what the next step of a rotation is decided on, immediately before it. At rest, it reads nothing. */
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import { COMPONENT_SUFFIX, instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Known } from '../../actions/round.ts';
import type { Host } from '../../host-clusters/host.ts';
import { secretValues } from '../../host-clusters/parse-credentials.ts';
import { errorText } from '../../kubernetes/errors.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Pod } from '../../kubernetes/pod-kinds.ts';
import { resources } from '../../kubernetes/resources.ts';
import type { Term } from '../../kubernetes/term.ts';
import type { Credentials } from '../../control-plane-access/credentials.ts';
import { findOwn, findOwnSecrets } from '../../instance/own-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isWorkload } from '../../components/workload.ts';
import { askApiServer, type KeysOfPod, type PodAccess } from './ask-api-server.ts';
import type { RotationFacts } from './facts.ts';
import { KEY_CONSUMERS, keyAuthority, type KeyObservation } from './key-facts.ts';
import { obstaclesOf } from './obstacles.ts';
import { parseRecord } from './parse-record.ts';
import { POLICY } from './policy.ts';
import { ROTATION_ANNOTATION, type Rotation } from './record.ts';
import { isExecuted, requestsIn, type RotationRequests } from './requests.ts';

export interface RotationTools {
  readonly host: Pick<Host, 'remote'> & {
    readonly client: Pick<KubernetesClient, 'find' | 'list'>;
  };
  readonly clock: Clock;
  readonly userAgent: string;
  readonly term?: Term;
  /** Asks the API server in a Pod; see `askApiServer`. */
  readonly askPod?: (pod: Pod, access: PodAccess) => Promise<KeysOfPod>;
}

/** What a reconcile has found out about rotations. */
export interface ObservedRotation {
  readonly facts: RotationFacts;
  /** The CA backup Secret that was read; absent if it could not be read. */
  readonly backup?: KubernetesObject;
  /** Whether the ServiceAccount does not exist for whose tokens a rotation asks. */
  readonly lacksAccount?: true;
}

/** The record in the cache, which may lag behind. */
function cachedRecord({ karmada, host }: Pick<Snapshot, 'karmada' | 'host'>): {
  readonly value?: string;
} {
  const name = instanceName(karmada.metadata.name, SECRET_SUFFIX.caBackup);
  const backup = host.objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === name,
  );
  const value = backup?.metadata.annotations?.[ROTATION_ANNOTATION];
  return value === undefined ? {} : { value };
}

/** Observes the rotations of a control plane. @returns undefined at rest */
export async function observeRotation(
  tools: RotationTools,
  known: Known,
): Promise<ObservedRotation | undefined> {
  const { snapshot } = known;
  const { value } = cachedRecord(snapshot);
  const requests = requestsIn(snapshot.karmada.metadata.annotations);
  const cached = parseRecord(value);
  if (!('fault' in cached) && cached.rotations.length === 0 && !hasOpen(requests, cached.executed))
    return undefined;
  const asks = needsAnswers(cached);
  const read = await readObjects(tools, known, asks).catch((error: unknown) => ({
    unread: `its Secrets and Pods could not be read (${errorText(error)})`,
  }));
  return observed(tools, known, { read, requests, cached: value });
}

/** Whether a step may need what the API servers show. An overlap that a user ends may last for a year. */
const needsAnswers = (record: ReturnType<typeof parseRecord>): boolean =>
  'fault' in record ||
  record.rotations.some(
    ({ phase, completion }) => phase !== 'Overlap' || completion === 'confirmed',
  );

/** Whether an annotation is not valid, or was not executed. */
const hasOpen = (
  { rotate, complete, abort, faults }: RotationRequests,
  executed: readonly string[],
): boolean =>
  faults.length > 0 ||
  [rotate, complete, abort].some((one) => one !== undefined && !isExecuted({ executed }, one));

type Read = KeyObservation | { readonly unread: string };

interface Found {
  readonly read: Read;
  readonly requests: RotationRequests;
  readonly cached: string | undefined;
}

function observed(
  { clock }: RotationTools,
  { snapshot, view }: Known,
  { read, requests, cached }: Found,
): ObservedRotation {
  const [now, monotonic] = [clock.wall(), clock.monotonic()];
  const common = { now, monotonic, requests, policy: POLICY };
  if ('unread' in read) {
    const obstacles = obstaclesOf({ snapshot, view, deployments: [] }, read.unread);
    return { facts: { ...common, record: parseRecord(cached), obstacles, authorities: [] } };
  }
  const { backup, deployments, answers } = read;
  const record = parseRecord(backup.metadata.annotations?.[ROTATION_ANNOTATION]);
  const keys = keyAuthority(read, rotationIn(record));
  const seen = { snapshot, view, deployments: [...deployments.values()] };
  const unread = keys === undefined ? 'a Secret has no readable ServiceAccount key' : undefined;
  const obstacles = obstaclesOf(seen, unread);
  const isLacking = [...answers.values()].some(({ lacksAccount }) => lacksAccount);
  return {
    facts: { ...common, record, obstacles, authorities: keys === undefined ? [] : [keys] },
    backup,
    ...(isLacking && { lacksAccount: true }),
  };
}

const rotationIn = (record: ReturnType<typeof parseRecord>): Rotation | undefined =>
  'fault' in record
    ? undefined
    : record.rotations.find(({ authority }) => authority === 'service-account-key');

/** Secrets with the record, with the keys, and with the certificate of the operator. */
const SECRETS = [SECRET_SUFFIX.caBackup, SECRET_SUFFIX.serviceAccountKey, SECRET_SUFFIX.cert];

/** @param asks whether to ask the API servers */
async function readObjects(
  tools: RotationTools,
  { snapshot, pki }: Known,
  asks: boolean,
): Promise<Read> {
  const { host, clock } = tools;
  const { name, namespace = '' } = snapshot.karmada.metadata;
  const names = SECRETS.map((suffix) => instanceName(name, suffix));
  const listedAt = clock.monotonic();
  const labelSelector = `${INSTANCE}=${name},${COMPONENT} in (${[...KEY_CONSUMERS.keys()].join(',')})`;
  const [secrets, deployments, { items: pods }] = await Promise.all([
    findOwnSecrets(host.client, { name, namespace }, names),
    readDeployments(host, { name, namespace }),
    host.client.list(resources.Pod, { namespace, labelSelector }),
  ]);
  const [backup, keys, cert] = names.map((called) => secrets.get(called));
  if (backup === undefined || keys === undefined || cert === undefined)
    return { unread: 'a Secret with its keys does not exist' };
  const credentials = credentialsIn(cert, pki.inClusterServer);
  const answers = await askPods(tools, asks ? pods : [], credentials);
  return { karmada: name, backup, keys, deployments, pods, listedAt, answers };
}

async function readDeployments(
  { client }: RotationTools['host'],
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<KeyObservation['deployments']> {
  const suffixes: Readonly<Partial<Record<string, string>>> = COMPONENT_SUFFIX;
  const found = await Promise.all(
    [...KEY_CONSUMERS].map(async ([component, consumer]) => {
      const key = { namespace, name: instanceName(name, suffixes[component] ?? component) };
      return [consumer, await findOwn(client, resources.Deployment, key, name)] as const;
    }),
  );
  return new Map(
    found.flatMap(([consumer, one]) => (one && isWorkload(one) ? [[consumer, one] as const] : [])),
  );
}

/** Asks all API servers at the same time. */
async function askPods(
  { clock, host, userAgent, term, askPod = askApiServer }: RotationTools,
  pods: readonly Pod[],
  credentials: Credentials,
): Promise<KeyObservation['answers']> {
  const access = { clock, userAgent, credentials, remote: host.remote, ...(term && { term }) };
  const servers = pods.filter(
    ({ metadata }) => metadata.labels?.[COMPONENT] === 'karmada-apiserver',
  );
  const answers = servers.map(async (pod) => {
    const at = clock.monotonic();
    return [pod.metadata.name, { ...(await askPod(pod, access)), at }] as const;
  });
  return new Map(await Promise.all(answers));
}

function credentialsIn(cert: KubernetesObject, server: string): Credentials {
  const values = secretValues(cert);
  return {
    server,
    ca: values['ca.crt'] ?? '',
    certificate: values['karmada.crt'] ?? '',
    key: values['karmada.key'] ?? '',
  };
}
