import { Failure } from '../cluster/failure.ts';

/** What the user may ask of the demo. */
export interface DemoOptions {
  readonly kubeconfig?: string;
  readonly image?: string;
  readonly remote: boolean;
  readonly yes: boolean;
  readonly down: boolean;
}

/** @throws Failure when options do not go together, or one is missing */
export function checkOptions({ kubeconfig, image, remote, down }: DemoOptions): void {
  if (remote && kubeconfig !== undefined) {
    throw new Failure(
      '--remote makes both of its clusters itself and does not go with --kubeconfig',
      'leave one of them out; docs/remote-host.md tells how to use two clusters of yours',
    );
  }
  if (down) return;
  if (kubeconfig === undefined && image !== undefined)
    throw new Failure('--image is for --kubeconfig', 'leave it out: the demo builds the image');
  if (kubeconfig !== undefined && image === undefined) {
    throw new Failure(
      'a cluster of yours cannot get at an image that is only on this machine',
      'push one (npm run image -- FILE.tar writes it) and name it with --image REF',
    );
  }
}
