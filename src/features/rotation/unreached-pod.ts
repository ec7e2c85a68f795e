/**
 * A remote host cluster decides to which Pods the operator may forward a port, beyond what RBAC says (config/remote-host/rights.yaml).
 * A rotation that begins without some of them would wait for its proofs for ever.
 */
import { errorText } from '../../kubernetes/client/errors.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { podDialer } from '../../host-clusters/dial-pod.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { RotationAuthority } from './authority.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';
import { TIMEOUT_MS } from './pod-client.ts';
import { endpointOf } from './pod-endpoints.ts';
import type { RecordFault } from './parse-record.ts';
import { consumerOf } from './pod-facts.ts';
import type { RotationRecord } from './record.ts';

interface Reading {
  readonly host: Pick<Host, 'remote'>;
  readonly inputs: PkiInputs;
  readonly pods: readonly Pod[];
  readonly record: RotationRecord | RecordFault;
}

/** One Pod of a component, and a port at which rotations ask it. */
interface Asked {
  readonly pod: Pod;
  readonly port: number;
}

/**
 * Connects to one Pod of each component that the rotations would ask, and sends nothing.
 * @returns which one cannot be reached, with cause and remedy; undefined in the management cluster, and while a rotation is under way
 */
export async function unreachedPod(
  { host: { remote }, inputs, pods, record }: Reading,
  authorities: readonly RotationAuthority[],
): Promise<string | undefined> {
  if (remote === undefined || 'fault' in record || record.rotations.length > 0) return undefined;
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
  `Pod ${pod.metadata.name}: no connection to port ${String(port)} through the API server of the host cluster (${error}); apply config/remote-host/rights.yaml of this version there`;

const askedBy = (
  name: RotationAuthority,
  inputs: PkiInputs,
  pods: readonly Pod[],
): readonly Asked[] =>
  CONSUMERS[name].flatMap((row) => {
    const port = portOf(row, inputs);
    const pod = pods.find(
      (one) => consumerOf(one, name) === row.component && one.status?.podIP !== undefined,
    );
    return port === undefined || pod === undefined ? [] : [{ pod, port }];
  });

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
