/** Reads what the next step of a rotation is decided on, immediately before it. At rest, it reads nothing. */
import { COMPONENT } from '../../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { SecretPolicy } from '../../api/secrets/secret-grant.ts';
import type { Action } from '../../actions/action.ts';
import type { Known } from '../../actions/round.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { adminCredentials, type Credentials } from '../../control-plane-access/credentials.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { excessIn } from '../../pki/secret-bounds.ts';
import type { AuthorityName } from '../../pki/types.ts';
import { readCustomAuthority } from '../../host-clusters/read-custom-authority.ts';
import { askApiServer, type KeysOfPod, type PodAccess } from './ask-api-server.ts';
import { MAX_ASKED, type AskingTools } from './ask-pods.ts';
import { ROTATION_AUTHORITIES, type RotationAuthority } from './authority.ts';
import { dueAuthorities } from './due.ts';
import type { RotationFacts, RotationPolicy } from './facts.ts';
import { keyAuthority, type KeyObservation } from './key-facts.ts';
import { observeCa, readsOf, type ObservedAuthority } from './observe-ca.ts';
import { obstaclesOf } from './obstacles.ts';
import { parseRecord, type RecordFault } from './parse-record.ts';
import { needsAnswers, rotationPolicy } from './policy.ts';
import { readControlPlane } from './read-control-plane.ts';
import { readLive, type LiveObjects } from './read-live.ts';
import { ROTATION_ANNOTATION, type Rotation, type RotationRecord } from './record.ts';
import { isExecuted, requestsIn, type RotationRequests } from './requests.ts';
import type { SharedTrust } from './shared-trust.ts';
import { checkedBeforeStart } from './unreached-pod.ts';

export interface RotationTools extends AskingTools {
  readonly host: AskingTools['host'] & {
    readonly client: Pick<KubernetesClient, 'find' | 'list'>;
  };
  readonly secretPolicy: SecretPolicy;
  /** Asks the API server in a Pod; see `askApiServer`. */
  readonly askPod?: (pod: Pod, access: PodAccess) => Promise<KeysOfPod>;
}

/** What a reconcile has found out about rotations. */
export interface ObservedRotation {
  readonly facts: RotationFacts;
  /** The CA backup Secret that was read; absent if it could not be read. */
  readonly backup?: KubernetesObject;
  readonly shared?: SharedTrust;
  /** Whether the ServiceAccount does not exist for whose tokens a rotation asks. */
  readonly lacksAccount?: true;
  /** What is to be done for the certificate request of a rotation of `ca`. */
  readonly requests?: readonly Action[];
}

/** The record in the cache, which may lag behind. */
function cachedRecord({ karmada, host }: Pick<Snapshot, 'karmada' | 'host'>): string | undefined {
  const name = instanceName(karmada.metadata.name, SECRET_SUFFIX.caBackup);
  const backup = host.objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === name,
  );
  return backup?.metadata.annotations?.[ROTATION_ANNOTATION];
}

/** Observes the rotations of a control plane. @returns undefined at rest */
export async function observeRotation(
  tools: RotationTools,
  known: Known,
  { controlPlane }: Pick<InstanceCache, 'controlPlane'>,
): Promise<ObservedRotation | undefined> {
  const { snapshot } = known;
  const cached = cachedRecord(snapshot);
  const requests = requestsIn(snapshot.karmada.metadata.annotations);
  const record = parseRecord(cached);
  const policy = rotationPolicy(snapshot.spec);
  const due = 'fault' in record ? [] : dueAuthorities(known, record, tools.clock.wall());
  const isAtRest = !('fault' in record) && record.rotations.length === 0;
  if (isAtRest && due.length === 0 && !hasOpen(requests, record.executed)) return undefined;
  const authorities = authoritiesIn(record, requests, due);
  const inside = controlPlane?.client;
  const observation = { tools, known, requests, policy, authorities, inside };
  try {
    const reading = { ...tools, controlPlane: inside };
    return await observed(observation, await readLive(reading, known, authorities));
  } catch (error) {
    return unread(observation, parseRecord(cached), errorText(error));
  }
}

/** Those under way, those that are requested, and those that are due. */
function authoritiesIn(
  record: RotationRecord | RecordFault,
  { rotate }: RotationRequests,
  due: readonly RotationAuthority[],
): readonly RotationAuthority[] {
  const underWay = 'fault' in record ? [] : record.rotations.map(({ authority }) => authority);
  const named = new Set([...underWay, ...(rotate?.authorities ?? []), ...due]);
  return ROTATION_AUTHORITIES.filter((one) => named.has(one));
}

/** Whether an annotation is not valid, or was not executed. */
const hasOpen = (
  { rotate, complete, abort, faults }: RotationRequests,
  executed: readonly string[],
): boolean =>
  faults.length > 0 ||
  [rotate, complete, abort].some((one) => one !== undefined && !isExecuted({ executed }, one));

interface Observation {
  readonly tools: RotationTools;
  readonly known: Known;
  readonly requests: RotationRequests;
  readonly policy: RotationPolicy;
  readonly authorities: readonly RotationAuthority[];
  /** Client of the Karmada API; absent while it is not ready. */
  readonly inside: Pick<KubernetesClient, 'find' | 'list'> | undefined;
}

type CommonFacts = Pick<RotationFacts, 'now' | 'monotonic' | 'requests' | 'policy'>;

const commonFacts = ({ tools: { clock }, requests, policy }: Observation): CommonFacts => ({
  ...{ now: clock.wall(), monotonic: clock.monotonic() },
  ...{ requests, policy },
});

function unread(
  observation: Observation,
  record: RotationFacts['record'],
  error: string,
): ObservedRotation {
  const { snapshot, view, pki: inputs } = observation.known;
  const cause = `its Secrets and Pods could not be read (${error})`;
  const seen = { snapshot, view, inputs, workloads: [], authorities: [] };
  const obstacles = obstaclesOf(seen, cause);
  return { facts: { ...commonFacts(observation), record, obstacles, authorities: [] } };
}

async function observed(observation: Observation, live: LiveObjects): Promise<ObservedRotation> {
  const { tools, known, authorities, policy } = observation;
  const { snapshot, view, pki } = known;
  const backup = secretOf(live, pki.name, SECRET_SUFFIX.caBackup);
  const excess = excessIn(pki, readsOf(pki, live));
  if (excess !== undefined) throw new Error(excess.message);
  const record = parseRecord(backup.metadata.annotations?.[ROTATION_ANNOTATION]);
  const found = await Promise.all(
    authorities.map((authority) => {
      const rotation = 'fault' in record ? undefined : rotationOf(record, authority);
      const asks = rotation !== undefined && needsAnswers(rotation, policy);
      const reading = { live, rotation, asks };
      return authority === 'service-account-key'
        ? observeKeys(observation, reading)
        : observeOneCa(observation, authority, reading);
    }),
  );
  const facts = found.flatMap((one) => one?.facts ?? []);
  const unreadable = found.includes(undefined) ? 'a Secret has no readable CA or key' : undefined;
  const workloads = [...live.workloads.values()];
  const seen = { snapshot, view, inputs: pki, workloads, authorities: facts };
  const obstacles = obstaclesOf(seen, unreadable);
  const all: RotationFacts = {
    ...commonFacts(observation),
    ...{ record, obstacles, authorities: facts },
  };
  return {
    facts: await checkedBeforeStart(all, { ...tools, inputs: pki, pods: live.pods }),
    backup,
    ...(live.shared && { shared: live.shared }),
    ...(found.some((one) => one?.lacksAccount) && { lacksAccount: true }),
    requests: found.flatMap((one) => one?.requests ?? []),
  };
}

async function observeOneCa(
  { tools, known: { pki, snapshot }, inside: client }: Observation,
  name: AuthorityName,
  reading: Reading,
): Promise<ObservedAuthority | undefined> {
  const { rotation, asks } = reading;
  const isRead = name === 'ca' && asks && rotation !== undefined;
  const { clock } = tools;
  const inside = isRead
    ? await readControlPlane({ client, clock, karmada: pki.name }, rotation)
    : undefined;
  const agents = name === 'ca' ? agentsIn(snapshot) : undefined;
  const { host, secretPolicy } = tools;
  const readCustom = () => readCustomAuthority(host, snapshot, secretPolicy);
  return observeCa(tools, pki, { name, ...reading, inside, agents, readCustom });
}

/** @returns undefined while they are not known */
const agentsIn = ({ memberClusters }: Snapshot): readonly string[] | undefined =>
  memberClusters?.filter(({ syncMode }) => syncMode === 'Pull').map(({ name }) => name);

const rotationOf = (record: RotationRecord, name: RotationAuthority): Rotation | undefined =>
  record.rotations.find(({ authority }) => authority === name);

/** @throws Error if it does not exist */
function secretOf({ secrets }: LiveObjects, karmada: string, suffix: string): KubernetesObject {
  const secret = secrets.get(instanceName(karmada, suffix));
  if (secret === undefined) throw new Error(`Secret ${instanceName(karmada, suffix)} not found`);
  return secret;
}

/** What was read for one authority. */
interface Reading {
  readonly live: LiveObjects;
  readonly rotation: Rotation | undefined;
  /** Whether Pods are asked. */
  readonly asks: boolean;
}

/** @returns undefined if a Secret has no readable key */
async function observeKeys(
  { tools, known: { pki } }: Observation,
  { live, rotation, asks }: Reading,
): Promise<ObservedAuthority | undefined> {
  const { name } = pki;
  const backup = secretOf(live, name, SECRET_SUFFIX.caBackup);
  const keys = secretOf(live, name, SECRET_SUFFIX.serviceAccountKey);
  const cert = secretOf(live, name, SECRET_SUFFIX.cert);
  const credentials = adminCredentials(cert, pki.inClusterServer);
  if (credentials === undefined) throw new Error('the certificate of the operator is missing');
  const answers = await askKeys(tools, asks ? live.pods : [], credentials);
  const facts = keyAuthority({ karmada: name, backup, keys, ...live, answers }, rotation);
  const isLacking = [...answers.values()].some(({ lacksAccount }) => lacksAccount);
  return facts && { facts, ...(isLacking && { lacksAccount: true }) };
}

/** Asks all API servers at the same time. */
async function askKeys(
  { clock, host, userAgent, term, addresses, askPod = askApiServer }: RotationTools,
  pods: readonly Pod[],
  credentials: Credentials,
): Promise<KeyObservation['answers']> {
  const access = { clock, userAgent, credentials, remote: host.remote, ...(term && { term }) };
  const servers = pods
    .filter(({ metadata }) => metadata.labels?.[COMPONENT] === 'karmada-apiserver')
    .slice(0, MAX_ASKED);
  const answers = servers.map(async (pod) => {
    const at = clock.monotonic();
    const own = { ...access, addresses: addresses?.(pod.metadata.namespace ?? '') };
    return [pod.metadata.name, { ...(await askPod(pod, own)), at }] as const;
  });
  return new Map(await Promise.all(answers));
}
