/** Asks each Pod of a control plane which CAs it accepts. */
import { randomBytes } from 'node:crypto';
import { instanceName } from '../../api/naming.ts';
import { dialTcp, type Dial } from '../../etcd/dial.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import type { Pod } from '../../kubernetes/pod-kinds.ts';
import type { Term } from '../../kubernetes/term.ts';
import type { AuthorityFacts as Stored } from '../../pki/authority-facts.ts';
import { isSignedBy } from '../../pki/certificate-info.ts';
import type { KeyGenerator } from '../../pki/keys.ts';
import { issueProbe } from '../../pki/probe.ts';
import type { AuthorityName, KeyPair, PkiInputs } from '../../pki/types.ts';
import { askEtcd, presentedCertificate } from './ask-etcd.ts';
import { askWithLeaf, type LeafAccess } from './ask-with-leaf.ts';
import { CONSUMERS, type ConsumerRow } from './consumers.ts';
import type { Answer, PodFacts, Question } from './facts.ts';
import { TIMEOUT_MS } from './pod-client.ts';
import { consumerOf } from './pod-facts.ts';
import type { Rotation } from './record.ts';

/**
 * Pods that are asked, which needs connections to each at once. A namespace may contain any number of Pods with their labels,
 * also some that have ended. Without an answer of each of them, a rotation does not go on.
 */
export const MAX_ASKED = 32;

export interface AskingTools {
  readonly clock: Clock;
  readonly keys: KeyGenerator;
  readonly userAgent: string;
  readonly term?: Term;
  /** Asks the server in a Pod; see `askWithLeaf`. */
  readonly askLeaf?: typeof askWithLeaf;
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

/** Asks all Pods at the same time. @returns by Pod, what it has shown */
export async function askPods(
  tools: AskingTools,
  asked: AskedAuthority,
  pods: readonly Pod[],
): Promise<ReadonlyMap<string, Shown>> {
  const leaves = await leavesOf(tools, asked);
  const shown = await Promise.all(
    pods
      .slice(0, MAX_ASKED)
      .map(
        async (pod) => [pod.metadata.name, await askPod(tools, asked, { pod, leaves })] as const,
      ),
  );
  return new Map(shown);
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
  const { podIP } = pod.status ?? {};
  if (row === undefined || podIP === undefined) return { probes: [], presented: [] };
  const [probes, presented] = await Promise.all([
    Promise.all(leaves.map((leaf) => probe(tools, asked, { row, podIP, leaf }))),
    Promise.all((row.presents ?? []).map((end) => presentedAt(tools, asked, { podIP, end }))),
  ]);
  return { probes: probes.flat(), presented: presented.flat() };
}

interface OneQuestion {
  readonly row: ConsumerRow;
  readonly podIP: string;
  readonly leaf: Leaves[number];
}

async function probe(
  tools: AskingTools,
  asked: AskedAuthority,
  { row, podIP, leaf: [root, leaf] }: OneQuestion,
): Promise<PodFacts['probes']> {
  const { question } = row;
  if (question === undefined) return [];
  const observedAt = tools.clock.monotonic();
  const answer = await ask(tools, asked, { row, question, podIP, leaf });
  return [{ root, answer, observedAt }];
}

const UNREACHABLE: Answer = { kind: 'unreachable' };

const dialOf = (host: string, port: number): Dial => dialTcp({ host, port });

async function ask(
  { clock, userAgent, term, askLeaf = askWithLeaf }: AskingTools,
  { name, inputs, ca }: AskedAuthority,
  one: Pick<OneQuestion, 'row' | 'podIP'> & {
    readonly question: Question;
    readonly leaf: KeyPair;
  },
): Promise<Answer> {
  const { row, question, podIP, leaf } = one;
  if (question === 'etcdStatus')
    return askEtcd({
      dial: dialOf(podIP, ETCD_PORTS.client),
      serverName: etcdName(inputs),
      ca,
      leaf,
    });
  if (question !== 'selfSubjectReview' && question !== 'forbiddenCall') return UNREACHABLE;
  const { server, port } = serverOf(inputs, row);
  const access: LeafAccess = {
    ...{ clock, userAgent, server, ca, leaf },
    ...(term && { term }),
    route: () => dialOf(podIP, port)(AbortSignal.timeout(TIMEOUT_MS)),
    isFrontProxy: name === 'front-proxy-ca',
  };
  return askLeaf(question, access);
}

/** Port of the API server, and of the servers that it calls. */
const [PORT, SERVING_PORT] = [5443, 8443];

/** Ports of etcd, by endpoint. */
const ETCD_PORTS = { client: 2379, peer: 2380 } as const;

/** Name in the certificates of all members. */
const etcdName = ({ name, namespace }: PkiInputs): string =>
  `${instanceName(name, 'etcd-client')}.${namespace}.svc`;

/** URL with the name in the certificate of a server, and the port of its Pods. */
function serverOf(
  { name, namespace, inClusterServer }: PkiInputs,
  { component }: ConsumerRow,
): { readonly server: string; readonly port: number } {
  if (component === 'apiserver') return { server: inClusterServer, port: PORT };
  return {
    server: `https://${instanceName(name, component)}.${namespace}.svc`,
    port: SERVING_PORT,
  };
}

/** What a Pod presents at an endpoint, by the CA that signed it; a CA that is not known is none of the two. */
async function presentedAt(
  { clock }: AskingTools,
  { inputs, stored }: AskedAuthority,
  { podIP, end }: { readonly podIP: string; readonly end: string },
): Promise<PodFacts['presented']> {
  if (end !== 'client' && end !== 'peer') return [];
  const observedAt = clock.monotonic();
  const certificate = await presentedCertificate(dialOf(podIP, ETCD_PORTS[end]), etcdName(inputs));
  if (certificate === undefined) return [];
  const signer = [...stored.pairs].find(([, one]) => isSignedBy(certificate, one.certificate));
  return [{ endpoint: end, root: signer?.[0] ?? '', observedAt }];
}
