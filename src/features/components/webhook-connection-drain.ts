/**
 * Makes karmada-apiserver renew its connections to karmada-webhook when a webhook Pod terminates. karmada-apiserver
 * reuses HTTP/1.1 connections even to a terminating Pod. A call that the Pod closes fails, since Go does not resend a
 * POST. A changed CA bundle makes karmada-apiserver open new connections, to other Pods. See ADR 0015. Pure functions.
 */
import type { Service } from '../../kubernetes/objects/kinds.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { largestOf } from '../../kubernetes/objects/largest.ts';
import {
  byIdentity,
  conditionOf,
  isTerminating,
  type KubernetesObject,
} from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { POD_HASH } from '../adoption/handover.ts';
import {
  desiredObject,
  type DesiredObjects,
  type DesiredObject,
} from '../../instance/desired-objects.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Annotation of a webhook configuration: karmada-apiserver no longer uses older connections (RFC 3339 time). */
export const CONNECTIONS_SINCE = 'operator.karmada.io/connections-since';

/**
 * Time in milliseconds until kube-proxy on each node stops routing new connections to a terminating Pod. The Pod stops
 * 8 s after its deletion, because every server has a preStop sleep.
 */
const PROXIES_MS = 3_000;

/**
 * Time in milliseconds after a new Pod is ready until no node routes new connections to Pods of the Go operator. It
 * includes the change of the Service. The old Pods stop 15 s after the new one is ready, without a preStop sleep.
 */
const HANDOVER_MS = 7_000;

type Seen = Pick<Snapshot, 'host' | 'controlPlane' | 'now'>;

/**
 * Returns the desired objects with webhook configurations that make karmada-apiserver leave terminating Pods.
 * An earlier renewal time stays, so that the operator writes nothing after the Pod is gone.
 */
export function withRenewedConnections(desired: DesiredObjects, snapshot: Seen): DesiredObjects {
  const { controlPlane, host, now } = snapshot;
  const live = byIdentity(controlPlane.objects);
  const ended = endings(host).filter(({ due }) => due <= now);
  const objects = desired.objects.map((item) =>
    item.step === 'webhook-configurations' ? freshened(item, live.get(item.id), ended, now) : item,
  );
  return { ...desired, objects };
}

/** Returns the milliseconds until the next renewal of connections, or undefined if no renewal is due. */
export function msUntilConnectionRenewal({
  host,
  now,
}: Pick<Snapshot, 'host' | 'now'>): number | undefined {
  const left = endings(host)
    .map(({ due }) => due - now)
    .filter((ms) => ms > 0);
  return left.length === 0 ? undefined : left.reduce((least, ms) => Math.min(least, ms));
}

/** Pods of karmada-webhook that receive no new connections; wall clock in milliseconds. */
interface Ending {
  /** When the Pods began to end. */
  readonly began: number;
  /** When all nodes have applied that. */
  readonly due: number;
  /** Whether these are Pods of the Go operator, which the Service excludes before they terminate. */
  readonly isHandover?: true;
}

const endings = (host: Seen['host']): readonly Ending[] => {
  const pods = host.pods.filter(isWebhook);
  return [...terminations(pods), ...handovers(host, pods)];
};

const isWebhook = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[COMPONENT] === 'karmada-webhook';

function terminations(pods: readonly Pod[]): readonly Ending[] {
  return pods.flatMap(({ metadata }) => {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
    if (deletionTimestamp === undefined) return [];
    const began = parseTime(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
    return [{ began, due: began + PROXIES_MS }];
  });
}

function handovers(host: Seen['host'], pods: readonly Pod[]): readonly Ending[] {
  const service: Service | undefined = host.objects.find(
    (object) => object.kind === 'Service' && isWebhook(object),
  );
  const { selector = {} } = service?.spec ?? {};
  const hash = selector[POD_HASH];
  if (hash === undefined) return [];
  const isNew = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[POD_HASH] === hash;
  const old = pods.filter((pod) => !isNew(pod) && !isTerminating(pod));
  const ready = pods.filter(isNew).flatMap((pod) => conditionOf(pod, 'Ready') ?? []);
  const since = ready.map((condition) => parseTime(condition.lastTransitionTime));
  const began = largestOf(since.filter(Number.isFinite), -Infinity);
  if (old.length === 0 || !Number.isFinite(began)) return [];
  return [{ began, due: began + HANDOVER_MS, isHandover: true }];
}

function freshened(
  item: DesiredObject,
  live: KubernetesObject | undefined,
  ended: readonly Ending[],
  now: number,
): DesiredObject {
  const before = sinceOf(live, now);
  const since = largestOf(
    ended.map(({ began }) => began),
    before,
  );
  if (since === 0) return item;
  const fresh = marked(item, since);
  if (since === before) return fresh;
  // If nothing else changes, the write ignores upgrade stages and dependencies: the Pod terminates in any case.
  const present = before === 0 ? item : marked(item, before);
  const applied = live?.metadata.annotations?.[APPLIED_HASH];
  const alone = applied === present.hash;
  // All calls go to Pods of this operator's Deployment, so the configurations can be those of this operator too.
  const isAdopted = applied === undefined && ended.some(({ isHandover }) => isHandover);
  return alone || isAdopted ? { ...fresh, ignoresOrder: true } : fresh;
}

/** Renewal time of a live configuration in milliseconds; 0 if it has none, or an invalid or future one. */
function sinceOf(live: KubernetesObject | undefined, now: number): number {
  const time = parseTime(live?.metadata.annotations?.[CONNECTIONS_SINCE]);
  return time <= now ? time : 0;
}

interface Webhook {
  readonly clientConfig: { readonly caBundle: string };
}

/** The configuration with a comment line above the certificates, which RFC 7468 (section 2) allows. */
function marked({ cluster, step, object }: DesiredObject, since: number): DesiredObject {
  const time = new Date(since).toISOString();
  const bundled = ({ clientConfig, ...webhook }: Webhook): Webhook => {
    const certificates = Buffer.from(clientConfig.caBundle, 'base64');
    const line = Buffer.from(`# connections since ${time}\n`, 'utf8');
    const caBundle = Buffer.concat([line, certificates]).toString('base64');
    return { ...webhook, clientConfig: { ...clientConfig, caBundle } };
  };
  const annotations = { ...object.metadata.annotations, [CONNECTIONS_SINCE]: time };
  const webhooks = (object['webhooks'] as readonly Webhook[]).map(bundled);
  return desiredObject(cluster, step, {
    ...object,
    metadata: { ...object.metadata, annotations },
    webhooks,
  });
}
