import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { sampleFile, sampleObjects } from './install.ts';
import type { DemoOptions } from './options.ts';
import { remoteScene } from './remote.ts';
import { embeddedTarget, foreignTarget, type Target } from './target.ts';
import { usage } from './usage.ts';

/** Clusters, sample and usage text of a demo run. */
export interface Scene {
  /** Cluster of the operator. */
  readonly target: Target;
  readonly image: string;
  /** Progress of the steps in that cluster. */
  readonly progress: Progress;
  /** Path of the sample in the checkout. */
  readonly sample: string;
  /** Creates the prerequisites of the sample other than the operator. @returns the objects to apply */
  readonly prepare: () => Promise<KubernetesObject[]>;
  /** Commands that show how to use the control plane. */
  usage(metadata: Karmada['metadata']): string;
}

/** What a run does, for users who wait for the builds of a first run. */
const OVERVIEW =
  'Starts a cluster, the operator and a control plane, which takes about a minute.\nMissing programs are built first.';

/** Returns the scene for the options, which `checkOptions` has accepted. */
export async function chooseScene(options: DemoOptions, progress: Progress): Promise<Scene> {
  if (options.remote) return remoteScene(progress);
  const { kubeconfig, image = '' } = options;
  if (kubeconfig === undefined) progress.note(OVERVIEW);
  const place =
    kubeconfig === undefined
      ? await embeddedTarget(progress)
      : {
          target: await foreignTarget(
            options,
            'installs the operator and a Karmada into',
            progress,
          ),
          image,
        };
  return {
    ...place,
    progress,
    sample: sampleFile,
    prepare: () => sampleObjects(),
    usage: (metadata) => usage(place.target, metadata),
  };
}
