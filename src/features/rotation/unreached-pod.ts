/**
 * A remote host cluster decides to which Pods the operator may forward a port, beyond what RBAC says (config/remote-host/rights.yaml).
 * A rotation that begins without some of them would wait for its proofs for ever.
 */
import type { Dial } from '../../etcd/dial.ts';
import { ForwardError } from '../../kubernetes/client/port-forward.ts';
import { inParallel } from '../../kubernetes/fairness/in-parallel.ts';
import { isTerminating } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { MAX_FORWARDED } from './ask-pods.ts';
import type { RotationAuthority } from './authority.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';
import type { RotationFacts } from './facts.ts';
import { endpointOf, QUESTION_ENDPOINTS, type Endpoint } from './pod-endpoints.ts';
import { consumerOf } from './pod-facts.ts';
import { pacedPodDialer, type PodNetwork } from './pod-dialer.ts';
import { presentedCertificate } from './presented-certificate.ts';
import { beginningAuthorities } from './start.ts';
import { causeOf } from './watched-dial.ts';

interface Reading extends PodNetwork {
  readonly inputs: PkiInputs;
  readonly pods: readonly Pod[];
  /** Looks at the certificate of a server in a Pod; see `presentedCertificate`. */
  readonly present?: typeof presentedCertificate;
}

/** An endpoint of one Pod of a component at which rotations ask it. */
interface Asked extends Endpoint {
  readonly pod: string;
  readonly dial: Dial;
}

/** Adds the obstacle of a Pod that cannot be asked, if a rotation would begin now. */
export async function checkedBeforeStart(
  facts: RotationFacts,
  reading: Reading,
): Promise<RotationFacts> {
  const begins = beginningAuthorities(facts);
  const unreached = begins.length === 0 ? undefined : await unreachedPod(reading, begins);
  return unreached === undefined
    ? facts
    : { ...facts, obstacles: { ...facts.obstacles, unobserved: unreached } };
}

/**
 * Looks at the certificates of one Pod of each component that the rotations would ask.
 * @returns which one presents none, with cause and remedy; undefined in the management cluster
 */
async function unreachedPod(
  { present = presentedCertificate, ...reading }: Reading,
  authorities: readonly RotationAuthority[],
): Promise<string | undefined> {
  if (reading.host.remote === undefined) return undefined;
  const asked = authorities.flatMap((name) => askedBy(name, reading));
  const ends = new Map(asked.map((one) => [`${one.pod}:${String(one.port)}`, one] as const));
  const faults = new Array<string>();
  const look = async (one: Asked): Promise<void> => {
    try {
      await present(one.dial, one.serverName);
    } catch (error) {
      faults.push(unreached(one, error));
    }
  };
  await inParallel([...ends.values()], look, MAX_FORWARDED);
  return faults.sort()[0];
}

const unreached = ({ pod, port }: Asked, error: unknown): string =>
  `Pod ${pod}: no certificate at port ${String(port)} through the API server of the host cluster (${causeOf(error) ?? 'no answer'}); ${remedyFor(error)}`;

const remedyFor = (error: unknown): string =>
  error instanceof ForwardError && error.status === 403
    ? 'apply config/remote-host/rights.yaml of this version there'
    : 'check the Pod, its node and the network there';

const askedBy = (
  name: RotationAuthority,
  { inputs, pods, ...network }: Omit<Reading, 'present'>,
): readonly Asked[] =>
  CONSUMERS[name].flatMap((row) => {
    const pod = pods.find((one) => consumerOf(one, name) === row.component && isRunning(one));
    if (pod === undefined) return [];
    const dialer = pacedPodDialer(pod, network);
    return endpointsOf(row, inputs).flatMap((end) =>
      dialer === undefined ? [] : [{ ...end, pod: pod.metadata.name, dial: dialer(end.port) }],
    );
  });

const isRunning = (pod: Pod): boolean => pod.status?.phase === 'Running' && !isTerminating(pod);

/** @returns none if nothing is asked */
const endpointsOf = (
  { component, question, presents = [] }: ConsumerRow,
  inputs: PkiInputs,
): readonly Endpoint[] =>
  [...presents, ...(question === undefined ? [] : [QUESTION_ENDPOINTS[question]])].flatMap(
    (end) => endpointOf(inputs, component, end) ?? [],
  );
