/** Flags of etcd for connections between members: pure. */
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import type { Container, Pod, PodSpec } from '../../kubernetes/objects/pod-kinds.ts';

/** Scheme of the connections that a member accepts from other members. */
export type PeerScheme = 'http' | 'https';

const LISTEN = '--listen-peer-urls=';
const CERTIFICATE = ['--peer-cert-file=', '--peer-trusted-ca-file='] as const;

/** Flags of a container that this module reads: none, unless it is an etcd. */
export function peerFlagsOf({
  command = [],
  args = [],
}: Pick<Container, 'command' | 'args'>): readonly string[] {
  const flags = [...command, ...args];
  return flags.filter((flag) => [LISTEN, ...CERTIFICATE].some((name) => flag.startsWith(name)));
}

/** Flags of the first container. etcd uses the last one of those with the same name. */
function flagsOf({ containers = [] }: PodSpec): readonly string[] {
  const [{ command = [], args = [] } = {}] = containers;
  return [...command, ...args];
}

const podSpecOf = (object: Pod | StatefulSet): PodSpec =>
  (isTemplated(object) ? object.spec?.template?.spec : object.spec) ?? {};

const isTemplated = (object: Pod | StatefulSet): object is StatefulSet =>
  object.spec?.['template'] !== undefined;

/** Scheme of the peer listener of a Pod, or of the template of a StatefulSet; `https` unless all URLs are http. */
export function peerSchemeOf(object: Pod | StatefulSet): PeerScheme {
  const value = flagsOf(podSpecOf(object)).findLast((flag) => flag.startsWith(LISTEN));
  const urls = value?.slice(LISTEN.length).split(',') ?? [];
  return urls.length > 0 && urls.every((url) => url.startsWith('http://')) ? 'http' : 'https';
}

/** Whether a member has a certificate with which it connects to members that accept only https. */
export function hasPeerCertificate(object: Pod | StatefulSet): boolean {
  const flags = flagsOf(podSpecOf(object));
  return CERTIFICATE.every((name) => flags.some((flag) => flag.startsWith(name)));
}
