import { Failure } from '../../tools/embedded-cluster/failure.ts';

/** Command line options of the demo. */
export interface DemoOptions {
  readonly kubeconfig?: string;
  readonly image?: string;
  readonly remote: boolean;
  readonly members: boolean;
  readonly yes: boolean;
  readonly down: boolean;
}

function checkMembersOptions({ kubeconfig, image, remote, down }: DemoOptions): void {
  if (!remote && !down && kubeconfig === undefined && image === undefined) return;
  throw new Failure(
    '--members only starts member clusters and cannot be combined with other options',
    'run the demo first, then again with --members',
  );
}

/** @throws Failure if options cannot be combined, or a required option is missing */
export function checkOptions(options: DemoOptions): void {
  if (options.members) {
    checkMembersOptions(options);
    return;
  }
  const { kubeconfig, image, remote, down } = options;
  if (remote && kubeconfig !== undefined) {
    throw new Failure(
      '--remote creates both clusters itself and cannot be combined with --kubeconfig',
      'leave one of them out; docs/configure/remote-host-clusters.md describes how to use two existing clusters',
    );
  }
  if (down) return;
  if (kubeconfig === undefined && image !== undefined)
    throw new Failure('--image requires --kubeconfig', 'omit --image: the demo builds the image');
  if (kubeconfig !== undefined && image === undefined) {
    throw new Failure(
      'the cluster of --kubeconfig cannot pull an image from this machine',
      'push an image to a registry (npm run image -- FILE.tar writes it) and set --image REF',
    );
  }
}
