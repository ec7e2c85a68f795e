/** Which settings of a container keep it from becoming ready, as those of real programs do. Pure function. */
import { BROKEN_SETTINGS } from '../../harness/step-failures.ts';
import type { ContainerSpec } from './pod-runtime.ts';

/** The kubelet cannot create a container; it retries, and its status contains the reason. */
export class ContainerNotCreated extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What keeps a container from becoming ready: it cannot be created, it ends at once, or its probe fails. */
type Breakage =
  | { readonly kind: 'not-created'; readonly error: ContainerNotCreated }
  | { readonly kind: 'ends'; readonly message: string }
  | { readonly kind: 'not-ready' };

const { image: MISSING_IMAGE, verbosity, kubeconfig, etcdTimeout } = BROKEN_SETTINGS;

/** Last words of a program for a flag that it does not accept. */
const LAST_WORDS: Readonly<Record<string, string>> = {
  [`--v=${verbosity}`]: `Error: invalid argument "${verbosity}" for "-v, --v" flag: strconv.ParseInt: parsing "${verbosity}": invalid syntax`,
  [`--kubeconfig=${kubeconfig}`]: `Error: stat ${kubeconfig}: no such file or directory`,
};

/** Returns what keeps this container from becoming ready; undefined if nothing does. */
export function breakageOf({
  image = '',
  command = [],
  args = [],
}: Pick<ContainerSpec, 'image' | 'command' | 'args'>): Breakage | undefined {
  if (image.startsWith(`${MISSING_IMAGE}:`) || image.startsWith(`${MISSING_IMAGE}/`)) {
    const message = `Back-off pulling image "${image}": not found`;
    return { kind: 'not-created', error: new ContainerNotCreated('ImagePullBackOff', message) };
  }
  const flags = [...command, ...args];
  const message = flags.map((flag) => LAST_WORDS[flag]).find((text) => text !== undefined);
  if (message !== undefined) return { kind: 'ends', message };
  const fails = flags.includes(`--etcd-readycheck-timeout=${etcdTimeout}`);
  return fails ? { kind: 'not-ready' } : undefined;
}
