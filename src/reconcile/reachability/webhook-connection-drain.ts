/**
 * Makes karmada-apiserver renew its connections to karmada-webhook when a webhook Pod terminates. karmada-apiserver
 * reuses HTTP/1.1 connections even to a terminating Pod. A call that the Pod closes fails, since Go does not resend a
 * POST. A changed CA bundle makes karmada-apiserver open new connections, to other Pods. See ADR 0015. Pure functions.
 */
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/object.ts';
import { desiredObject, type DesiredObjects, type DesiredObject } from '../desired-objects.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../snapshot.ts';

/** Annotation of a webhook configuration: karmada-apiserver no longer uses older connections (RFC 3339 time). */
export const CONNECTIONS_SINCE = 'operator.karmada.io/connections-since';

/**
 * Time in milliseconds until kube-proxy on each node stops routing new connections to a terminating Pod. The Pod stops
 * 8 s after its deletion, because every server has a preStop sleep.
 */
const PROXIES_MS = 3_000;

type Seen = Pick<Snapshot, 'host' | 'controlPlane' | 'now'>;

/**
 * Returns the desired objects with webhook configurations that make karmada-apiserver leave terminating Pods.
 * An earlier renewal time stays, so that the operator writes nothing after the Pod is gone.
 */
export function withRenewedConnections(desired: DesiredObjects, snapshot: Seen): DesiredObjects {
  const { controlPlane, host, now } = snapshot;
  const live = byIdentity(controlPlane.objects);
  const ended = endings(host.pods).filter((began) => began + PROXIES_MS <= now);
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
  const due = endings(host.pods)
    .map((began) => began + PROXIES_MS - now)
    .filter((left) => left > 0);
  return due.length === 0 ? undefined : Math.min(...due);
}

interface Ending {
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}

/** Deletion times of the terminating Pods of karmada-webhook, wall clock in milliseconds. */
function endings(pods: readonly KubernetesObject[]): readonly number[] {
  return pods.flatMap(({ metadata }) => {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata as Ending;
    if (metadata.labels?.[COMPONENT] !== 'karmada-webhook' || deletionTimestamp === undefined)
      return [];
    return [Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000];
  });
}

function freshened(
  item: DesiredObject,
  live: KubernetesObject | undefined,
  ended: readonly number[],
  now: number,
): DesiredObject {
  const before = sinceOf(live, now);
  const since = Math.max(before, ...ended);
  if (since === 0) return item;
  const fresh = marked(item, since);
  if (since === before) return fresh;
  // If nothing else changes, the write ignores upgrade stages and dependencies: the Pod terminates in any case.
  const present = before === 0 ? item : marked(item, before);
  const alone = live?.metadata.annotations?.[APPLIED_HASH] === present.hash;
  return alone ? { ...fresh, ignoresOrder: true } : fresh;
}

/** Renewal time of a live configuration in milliseconds; 0 if it has none, or an invalid or future one. */
function sinceOf(live: KubernetesObject | undefined, now: number): number {
  const time = Date.parse(live?.metadata.annotations?.[CONNECTIONS_SINCE] ?? '');
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
