/**
 * Which connections karmada-apiserver uses to call karmada-webhook: pure. It keeps them (HTTP/1.1) for as long as calls
 * go over them, be it to a pod that ends, and a call that is sent while that pod closes them fails, as Go does not send
 * a POST twice. For a CA bundle with another text it makes new ones, which lead to pods that stay. See ADR 0015.
 */
import { APPLIED_HASH } from '../../kubernetes/compare.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/object.ts';
import { wanted, type Desired, type DesiredObject } from '../desired.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../snapshot.ts';

/** On a webhook configuration: connections made before this time (RFC 3339) are not used any more. */
export const CONNECTIONS_SINCE = 'operator.karmada.io/connections-since';

/**
 * The nodes' proxies know after this time, in milliseconds, that a pod ends; a new connection no longer leads to it. The
 * pod stops 8 s after it began to end (the preStop sleep of every server).
 */
const PROXIES_MS = 3_000;

type Seen = Pick<Snapshot, 'host' | 'controlPlane' | 'now'>;

/** The wish with webhook configurations that leave pods which end. What is there without the change stays as it is. */
export function withFreshConnections(desired: Desired, snapshot: Seen): Desired {
  const { controlPlane, host, now } = snapshot;
  const live = byIdentity(controlPlane.objects);
  const ended = endings(host.pods).filter((began) => began + PROXIES_MS <= now);
  const objects = desired.objects.map((item) =>
    item.step === 'webhook-configurations' ? freshened(item, live.get(item.id), ended, now) : item,
  );
  return { ...desired, objects };
}

/** Milliseconds until connections have to be left, or undefined when there is nothing to wait for. */
export function connectionsLeftInMs({
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

/** When the pods of karmada-webhook that end began to, wall clock in milliseconds. */
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
  // When nothing else changes, it waits for no other step: a pod that ends does not wait either.
  const present = before === 0 ? item : marked(item, before);
  const alone = live?.metadata.annotations?.[APPLIED_HASH] === present.hash;
  return alone ? { ...fresh, atOnce: true } : fresh;
}

/** The time that a live configuration bears; 0 without one, or with one that cannot be. */
function sinceOf(live: KubernetesObject | undefined, now: number): number {
  const time = Date.parse(live?.metadata.annotations?.[CONNECTIONS_SINCE] ?? '');
  return time <= now ? time : 0;
}

interface Webhook {
  readonly clientConfig: { readonly caBundle: string };
}

/** The configuration with a line above the certificates, which RFC 7468 (section 2) allows. */
function marked({ place, step, object }: DesiredObject, since: number): DesiredObject {
  const time = new Date(since).toISOString();
  const bundled = ({ clientConfig, ...webhook }: Webhook): Webhook => {
    const certificates = Buffer.from(clientConfig.caBundle, 'base64');
    const line = Buffer.from(`# connections since ${time}\n`, 'utf8');
    const caBundle = Buffer.concat([line, certificates]).toString('base64');
    return { ...webhook, clientConfig: { ...clientConfig, caBundle } };
  };
  const annotations = { ...object.metadata.annotations, [CONNECTIONS_SINCE]: time };
  const webhooks = (object['webhooks'] as readonly Webhook[]).map(bundled);
  return wanted(place, step, {
    ...object,
    metadata: { ...object.metadata, annotations },
    webhooks,
  });
}
