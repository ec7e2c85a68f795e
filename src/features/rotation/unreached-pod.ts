/**
 * A remote host cluster decides to which Pods the operator may forward a port, beyond what RBAC says (config/remote-host/rights.yaml).
 * A rotation that begins without some of them would wait for its proofs for ever.
 */
import { errorText } from '../../kubernetes/client/errors.ts';
import { isTerminating } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { podDialer } from '../../host-clusters/dial-pod.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { RotationAuthority } from './authority.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';
import type { RotationFacts } from './facts.ts';
import { TIMEOUT_MS } from './pod-client.ts';
import { endpointOf } from './pod-endpoints.ts';
import { consumerOf } from './pod-facts.ts';
import { beginningAuthorities } from './start.ts';

interface Reading {
  readonly host: Pick<Host, 'remote'>;
  readonly inputs: PkiInputs;
  readonly pods: readonly Pod[];
}

/** One Pod of a component, and a port at which rotations ask it. */
interface Asked {
  readonly pod: Pod;
  readonly port: number;
}

/** Adds the obstacle of a Pod that cannot be asked, if a rotation would begin now. */
export async function checkedBeforeStart(
  facts: RotationFacts,
  reading: Reading,
): Promise<RotationFacts> {
  const begins = beginningAuthorities(facts);
  if (begins.length === 0) return facts;
  const unreached = await unreachedPod(reading, begins);
  return unreached === undefined
    ? facts
    : { ...facts, obstacles: { ...facts.obstacles, unobserved: unreached } };
}

/**
 * Opens a port-forward to one Pod of each component that the rotations would ask, and sends nothing.
 * @returns to which one none opens, with cause and remedy; undefined in the management cluster
 */
async function unreachedPod(
  { host: { remote }, inputs, pods }: Reading,
  authorities: readonly RotationAuthority[],
): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const asked = authorities.flatMap((name) => askedBy(name, inputs, pods));
  const byPod = new Map(asked.map((one) => [one.pod.metadata.name, one] as const));
  const faults = await Promise.all(
    [...byPod.values()].map(async ({ pod, port }) => {
      const error = await dialError(pod, port, remote);
      return error === undefined ? [] : [unreached(pod, port, error)];
    }),
  );
  return faults.flat()[0];
}

const unreached = (pod: Pod, port: number, error: string): string =>
  `Pod ${pod.metadata.name}: the API server of the host cluster opens no port-forward to port ${String(port)} (${error}); ${remedyFor(error)}`;

const remedyFor = (error: string): string =>
  error.includes('HTTP 403')
    ? 'apply config/remote-host/rights.yaml of this version there'
    : 'check the Pod, its node and the network there';

const askedBy = (
  name: RotationAuthority,
  inputs: PkiInputs,
  pods: readonly Pod[],
): readonly Asked[] =>
  CONSUMERS[name].flatMap((row) => {
    const port = portOf(row, inputs);
    const pod = pods.find((one) => consumerOf(one, name) === row.component && isRunning(one));
    return port === undefined || pod === undefined ? [] : [{ pod, port }];
  });

const isRunning = (pod: Pod): boolean =>
  pod.status?.phase === 'Running' && pod.status.podIP !== undefined && !isTerminating(pod);

/** @returns undefined if nothing is asked */
function portOf({ component, question, presents = [] }: ConsumerRow, inputs: PkiInputs) {
  if (question === undefined && presents.length === 0) return undefined;
  const [port] = [...presents, 'https'].flatMap((end) => endpointOf(inputs, component, end) ?? []);
  return port?.port;
}

async function dialError(
  pod: Pod,
  port: number,
  remote: NonNullable<Host['remote']>,
): Promise<string | undefined> {
  try {
    const stream = await podDialer(pod, remote)?.(port)(AbortSignal.timeout(TIMEOUT_MS));
    stream?.destroy();
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
