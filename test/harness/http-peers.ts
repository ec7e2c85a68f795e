/** Moves the members of an etcd from https to http, as members of the Go operator are, while no operator runs. */
import { instanceName } from '../../src/api/naming.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { getObject } from './cluster.ts';
import { etcdAnswers, etcdctl, etcdPods, type InstanceAt } from './etcd-members.ts';

const CONTAINER = '/spec/template/spec/containers/0/command';
const LISTEN = '--listen-peer-urls=';
const HASH = 'operator.karmada.io/etcd-template-hash';

/** A member in the member list. */
export interface ListedMember {
  readonly id: string;
  readonly name: string;
  readonly peerURLs: readonly string[];
}

const setOf = ({ name }: InstanceAt): string => instanceName(name, 'etcd');

/** Member list of the first member, confirmed by a quorum. */
export async function memberList(at: InstanceAt): Promise<readonly ListedMember[]> {
  // ID, status, name, peer URLs, client URLs, learner; URLs are joined with commas without spaces.
  const lines = (await etcdctl(at, ['member', 'list'])).trim().split('\n');
  return lines.map((line) => {
    const [id = '', , name = '', urls = ''] = line.split(', ');
    return { id, name, peerURLs: urls.split(',') };
  });
}

/** Last `--listen-peer-urls` of a Pod. */
export function peerListener(pod: KubernetesObject): string | undefined {
  const { containers } = pod['spec'] as { containers: readonly { command: readonly string[] }[] };
  return containers[0]?.command.findLast((flag) => flag.startsWith(LISTEN))?.slice(LISTEN.length);
}

async function setPeerURLs(at: InstanceAt, schemes: readonly string[]): Promise<void> {
  for (const { id, name } of await memberList(at)) {
    const host = `${name}.${setOf(at)}.${at.namespace}.svc.cluster.local:2380`;
    const urls = schemes.map((scheme) => `${scheme}://${host}`).join();
    await etcdctl(at, ['member', 'update', id, `--peer-urls=${urls}`]);
  }
}

async function listenOnHttp(at: InstanceAt): Promise<void> {
  const { cluster, namespace } = at;
  const live = await getObject<{
    spec: { template: { spec: { containers: { command: string[] }[] } } };
  }>(cluster, 'statefulset', setOf(at), namespace);
  const command = live.spec.template.spec.containers[0]?.command ?? [];
  const index = command.findIndex((flag) => flag.startsWith(LISTEN));
  const key = HASH.replace('/', '~1');
  const patch = [
    { op: 'replace', path: `${CONTAINER}/${String(index)}`, value: `${LISTEN}http://0.0.0.0:2380` },
    { op: 'replace', path: `/spec/template/metadata/annotations/${key}`, value: 'http-peers' },
  ];
  const target = ['statefulset', setOf(at), '-n', namespace];
  await kubectl(cluster, ['patch', ...target, '--type=json', '-p', JSON.stringify(patch)]);
}

/** Deletes a Pod, and waits until its successor accepts peers on http and all members respond with a quorum. */
async function restart(at: InstanceAt, pod: string, members: number): Promise<void> {
  const { cluster, namespace } = at;
  await kubectl(cluster, ['delete', 'pod', pod, '-n', namespace, '--timeout=120s']);
  await poll(
    `${pod} accepts peers on http`,
    async (seen) => {
      const [pods, answers] = [await etcdPods(at), await etcdAnswers(at, '/registry/configmaps/')];
      const listener = pods.filter(({ metadata }) => metadata.name === pod).map(peerListener);
      seen(`${listener.join()} ${JSON.stringify(answers)}`);
      const isBack = listener[0]?.startsWith('http://') === true;
      return (isBack && answers.length === members) || undefined;
    },
    { deadlineMs: 180_000, intervalMs: 500 },
  );
}

/** Moves all members to http. No operator may run. */
export async function moveToHttp(at: InstanceAt): Promise<void> {
  const names = (await memberList(at)).map(({ name }) => name).sort();
  if (names.length > 1) await setPeerURLs(at, ['http', 'https']);
  await listenOnHttp(at);
  for (const name of names) await restart(at, name, names.length);
  await setPeerURLs(at, ['http']);
}
