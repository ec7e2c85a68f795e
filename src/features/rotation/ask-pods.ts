/** Asks each Pod of a control plane which CAs it accepts. */
import { randomBytes } from 'node:crypto';
import type { Dial } from '../../etcd/dial.ts';
import type { PodDialer } from '../../host-clusters/dial-pod.ts';
import { inParallel } from '../../kubernetes/fairness/in-parallel.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import type { Term } from '../../kubernetes/time/term.ts';
import { signerAmong, type AuthorityFacts as Stored } from '../../pki/authority-facts.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import { issueProbe } from '../../pki/probe.ts';
import type { AuthorityName, KeyPair, PkiInputs } from '../../pki/types.ts';
import { askEtcd } from './ask-etcd.ts';
import { askHttp2 } from './ask-http2.ts';
import { askWithLeaf, type LeafAccess } from './ask-with-leaf.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';
import type { Answer, PodFacts, Question } from './facts.ts';
import { endpointOf, QUESTION_ENDPOINTS, serverOf } from './pod-endpoints.ts';
import { consumerOf } from './pod-facts.ts';
import { pacedPodDialer, type PodNetwork } from './pod-dialer.ts';
import { presentedCertificate } from './presented-certificate.ts';
import type { Rotation } from './record.ts';
import { causeOf } from './watched-dial.ts';

/** Pods that are asked at once, with connections to each. */
export const MAX_ASKED = 32;

/** The same in a remote host cluster, whose API server forwards each connection. */
export const MAX_FORWARDED = 16;

/**
 * Pods that are asked. There is an estimator for each member cluster, and a namespace may contain any number of Pods with their
 * labels, also some that have ended. Without an answer of each of them, a rotation does not go on.
 */
const MAX_PODS = 512;

/** Time after which no further Pod is asked, in milliseconds. The first answers would be too old for a proof. */
const ASKING_MS = 4_000;

export interface AskingTools extends PodNetwork {
  readonly clock: Clock;
  readonly keys: KeyGenerator;
  readonly userAgent: string;
  readonly term?: Term;
  /** Asks the server in a Pod; see `askWithLeaf`. */
  readonly askLeaf?: typeof askWithLeaf;
  /** Asks the etcd member in a Pod; see `askEtcd`. */
  readonly askMember?: typeof askEtcd;
  /** Asks the gRPC server in a Pod; see `askHttp2`. */
  readonly askGrpc?: typeof askHttp2;
  /** Looks at the certificate of a server in a Pod; see `presentedCertificate`. */
  readonly present?: typeof presentedCertificate;
}

/** CA whose acceptance is asked for. */
interface AskedAuthority {
  readonly name: AuthorityName;
  readonly inputs: PkiInputs;
  readonly stored: Stored;
  readonly rotation: Rotation;
  /** PEM bundle of the CAs of the servers. */
  readonly ca: string;
}

type Shown = Pick<PodFacts, 'probes' | 'presented'>;

/** Asks all Pods, many of them at the same time. @returns by Pod, what it has shown */
export async function askPods(
  tools: AskingTools,
  asked: AskedAuthority,
  pods: readonly Pod[],
): Promise<ReadonlyMap<string, Shown>> {
  const leaves = await leavesOf(tools, asked);
  const { clock, host } = tools;
  const [shown, until] = [new Map<string, Shown>(), clock.monotonic() + ASKING_MS];
  const askNext = async (pod: Pod): Promise<void> => {
    if (clock.monotonic() < until)
      shown.set(pod.metadata.name, await askPod(tools, asked, { pod, leaves }));
  };
  const atOnce = host.remote === undefined ? MAX_ASKED : MAX_FORWARDED;
  await inParallel(pods.slice(0, MAX_PODS), askNext, atOnce);
  return shown;
}

type Leaves = readonly (readonly [string, KeyPair])[];

/** Leaf certificates of both CAs: a stored one, or a new one as long as the private key of the CA exists. */
async function leavesOf(
  { clock, keys }: AskingTools,
  { name, stored, rotation }: AskedAuthority,
): Promise<Leaves> {
  const issuance = { keys, now: new Date(clock.wall()), random: randomBytes };
  const leaves = await Promise.all(
    [rotation.from, rotation.to].map(async (root) => {
      const authority = stored.pairs.get(root);
      const leaf =
        stored.probes.get(root) ?? (authority && (await issueProbe(name, authority, issuance)));
      return leaf === undefined ? [] : [[root, leaf] as const];
    }),
  );
  return leaves.flat();
}

interface Asked {
  readonly pod: Pod;
  readonly leaves: Leaves;
}

async function askPod(
  tools: AskingTools,
  asked: AskedAuthority,
  { pod, leaves }: Asked,
): Promise<Shown> {
  const component = consumerOf(pod, asked.name);
  const row = CONSUMERS[asked.name].find((one) => one.component === component);
  const dialer = pacedPodDialer(pod, tools);
  if (row === undefined || dialer === undefined) return { probes: [], presented: [] };
  const [probes, presented] = await Promise.all([
    Promise.all(leaves.map((leaf) => probe(tools, asked, { row, dialer, leaf }))),
    Promise.all((row.presents ?? []).map((end) => presentedAt(tools, asked, { row, dialer, end }))),
  ]);
  return { probes: probes.flat(), presented: presented.flat() };
}

interface OneQuestion {
  readonly row: ConsumerRow;
  readonly dialer: PodDialer;
  readonly leaf: Leaves[number];
}

async function probe(
  tools: AskingTools,
  asked: AskedAuthority,
  { row, dialer, leaf: [root, leaf] }: OneQuestion,
): Promise<PodFacts['probes']> {
  const { question } = row;
  if (question === undefined) return [];
  const observedAt = tools.clock.monotonic();
  const answer = await ask(tools, asked, { row, question, dialer, leaf });
  return [{ root, answer, observedAt }];
}

const UNREACHABLE: Answer = { kind: 'unreachable' };

async function ask(
  tools: AskingTools,
  asked: AskedAuthority,
  one: Pick<OneQuestion, 'row' | 'dialer'> & {
    readonly question: Question;
    readonly leaf: KeyPair;
  },
): Promise<Answer> {
  const { inputs, ca } = asked;
  const { row, question, dialer, leaf } = one;
  const endpoint = endpointOf(inputs, row.component, QUESTION_ENDPOINTS[question]);
  if (endpoint === undefined) return UNREACHABLE;
  const { port, serverName } = endpoint;
  const dial = dialer(port);
  if (question === 'etcdStatus')
    return (tools.askMember ?? askEtcd)({ dial, serverName, ca, leaf });
  if (question === 'http2Settings')
    return (tools.askGrpc ?? askHttp2)({ dial, serverName, ca, leaf });
  return question === 'publicKeys'
    ? UNREACHABLE
    : askHttps(tools, asked, { component: row.component, question, dial, leaf });
}

interface HttpsQuestion extends Pick<LeafAccess, 'leaf'> {
  readonly component: ConsumerRow['component'];
  readonly question: Parameters<typeof askWithLeaf>[0];
  readonly dial: Dial;
}

function askHttps(
  { clock, userAgent, term, askLeaf = askWithLeaf }: AskingTools,
  { name, inputs, ca }: AskedAuthority,
  { component, question, dial, leaf }: HttpsQuestion,
): Promise<Answer> {
  return askLeaf(question, {
    ...{ clock, userAgent, ca, leaf },
    ...(term && { term }),
    server: serverOf(inputs, component),
    dial,
    isFrontProxy: name === 'front-proxy-ca',
  });
}

interface Presenting extends Pick<OneQuestion, 'row' | 'dialer'> {
  readonly end: string;
}

/** What a Pod presents at an endpoint, by the CA that signed it; a CA that is not known is none of the two. */
async function presentedAt(
  { clock, present = presentedCertificate }: AskingTools,
  { inputs, stored }: AskedAuthority,
  { row, dialer, end }: Presenting,
): Promise<PodFacts['presented']> {
  const endpoint = endpointOf(inputs, row.component, end);
  if (endpoint === undefined) return [];
  const observedAt = clock.monotonic();
  try {
    const certificate = await present(dialer(endpoint.port), endpoint.serverName);
    return [{ endpoint: end, root: signerAmong(stored.pairs, certificate) ?? '', observedAt }];
  } catch (error) {
    return [{ endpoint: end, root: '', cause: causeOf(error) ?? 'no answer', observedAt }];
  }
}
