/** What must hold in the model after each event. */
import { presentedBy, contentAt, type Agent, type ModelPod, type World } from './model-world.ts';

/** Returns what is wrong now; undefined if nothing is. */
export function violation(world: World): string | undefined {
  return keyViolation(world) ?? retiredViolation(world) ?? firstOf(TALKS[world.authority](world));
}

/** One talk: who verifies what signed by which root, with which trust. */
interface Talk {
  readonly who: string;
  readonly root: string;
  readonly trust: readonly string[];
  /** The certificate comes with the chain to its predecessors. */
  readonly hasChain?: boolean;
  readonly world: World;
}

const firstOf = (talks: readonly Talk[]): string | undefined =>
  talks.find((talk) => !isVerified(talk, talk.root))?.who;

/** Whether the certificate leads to a trusted root that is valid. */
function isVerified({ trust, hasChain, world }: Talk, root: string): boolean {
  if (!world.isValid(root)) return false;
  if (trust.includes(root)) return true;
  if (hasChain !== true) return false;
  const above = world.backup.crossSigned.filter(
    (cross) => cross.root === root && cross.by !== root,
  );
  return above.some(({ by }) => isVerified({ who: '', trust, hasChain, world, root: by }, by));
}

/** The keys of all roots that sign are stored, and the record names the active root. */
function keyViolation(world: World): string | undefined {
  const active = world.active();
  if (!world.backup.keys.has(active)) return 'the key of the active root is lost';
  const [rotation] = world.backup.record.rotations;
  if (rotation !== undefined && ![rotation.from, rotation.to].includes(active))
    return 'the record does not name the active root';
  return undefined;
}

/** After its rotation, a root is trusted nowhere, its key is gone, and it never signs again. */
function retiredViolation(world: World): string | undefined {
  const { retired, backup } = world;
  if (retired.size === 0) return undefined;
  if (retired.has(world.active())) return 'a retired root signs again';
  if ([...retired].some((root) => backup.keys.has(root)))
    return 'the key of a retired root is kept';
  const trusting = world.pods.find((pod) =>
    trustedBy(world, pod).some((root) => retired.has(root)),
  );
  return trusting && `${trusting.name} trusts a retired root`;
}

const trustedBy = (world: World, pod: ModelPod): readonly string[] => [
  ...(pod.row.question ? world.trustOf(pod) : []),
  ...(pod.row.hasHiddenTrust ? hidden(pod) : []),
];

const podsOf = (world: World, ...components: readonly string[]): readonly ModelPod[] =>
  world.pods.filter(({ row }) => components.includes(row.component));

const hidden = (pod: ModelPod): readonly string[] => contentAt(pod, pod.started).bundle;
const polledLeaf = (pod: ModelPod): string =>
  contentAt(pod, pod.row.hasHiddenLeaf ? pod.started : pod.polled).signer;

/** A client and a server that verify each other. */
function mutual(world: World, client: ModelPod, server: ModelPod, leaf: string): readonly Talk[] {
  const who = `${client.name} and ${server.name}`;
  return [
    { who: `${who}: client`, root: leaf, trust: world.trustOf(server), world },
    { who: `${who}: server`, root: presentedBy(server), trust: hidden(client), world },
  ];
}

function caTalks(world: World): readonly Talk[] {
  const servers = podsOf(world, 'apiserver');
  const clients = world.pods.filter(({ row }) => row.hasHiddenTrust);
  const estimators = podsOf(world, 'scheduler-estimator');
  const callers = podsOf(world, 'scheduler', 'descheduler');
  return [
    ...clients.flatMap((client) =>
      servers.flatMap((server) =>
        mutual(world, client, server, contentAt(client, client.polled).signer),
      ),
    ),
    ...callers.flatMap((caller) =>
      estimators.flatMap((server) => mutual(world, caller, server, polledLeaf(caller))),
    ),
    ...world.agents.flatMap((agent) =>
      servers.flatMap((server) => agentTalks(world, agent, server)),
    ),
  ];
}

function agentTalks(world: World, agent: Agent, server: ModelPod): readonly Talk[] {
  const who = `${agent.name} and ${server.name}`;
  const isOut = agent.isGivenUp || agent.leaf.expiresAt <= world.now;
  return [
    ...(isOut
      ? []
      : [{ who: `${who}: client`, root: agent.leaf.root, trust: world.trustOf(server), world }]),
    { who: `${who}: server`, root: presentedBy(server), trust: agent.trust, hasChain: true, world },
  ];
}

function etcdTalks(world: World): readonly Talk[] {
  const members = podsOf(world, 'etcd');
  const clients = world.pods.filter(({ row }) => row.hasHiddenTrust);
  return [...members, ...clients].flatMap((one) =>
    members
      .filter((member) => member !== one)
      .flatMap((member) => mutual(world, one, member, contentAt(one, one.mounted).signer)),
  );
}

function frontProxyTalks(world: World): readonly Talk[] {
  const servers = world.pods.filter(({ row }) => row.component !== 'apiserver');
  return podsOf(world, 'apiserver').flatMap((proxy) =>
    servers.map((server) => ({
      ...{ who: `${proxy.name} and ${server.name}`, root: contentAt(proxy, proxy.mounted).signer },
      ...{ trust: world.trustOf(server), world },
    })),
  );
}

/** Tokens of agents, new tokens of each API server, and those that kube-controller-manager signs. */
function tokenTalks(world: World): readonly Talk[] {
  const servers = podsOf(world, 'apiserver');
  const valid = world.agents.filter(
    ({ isGivenUp, leaf }) => !isGivenUp && leaf.expiresAt > world.now,
  );
  const tokens = [
    ...valid.map(({ name, leaf }) => ({ who: name, root: leaf.root })),
    ...world.pods.map((pod) => ({ who: pod.name, root: world.signerOf(pod) })),
  ];
  return tokens.flatMap(({ who, root }) =>
    servers.map((server) => ({
      ...{ who: `token of ${who} at ${server.name}`, root, trust: world.trustOf(server), world },
    })),
  );
}

const TALKS: Readonly<Record<World['authority'], (world: World) => readonly Talk[]>> = {
  ca: caTalks,
  'etcd-ca': etcdTalks,
  'front-proxy-ca': frontProxyTalks,
  'service-account-key': tokenTalks,
};
