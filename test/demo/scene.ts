import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import type { Progress } from '../cluster/progress.ts';
import { sampleFile, sampleObjects } from './install.ts';
import type { DemoOptions } from './options.ts';
import { remoteScene } from './remote.ts';
import { embeddedTarget, foreignTarget, type Target } from './target.ts';
import { usage } from './usage.ts';

/** What is shown, and where. */
export interface Scene {
  /** The operator's cluster. */
  readonly target: Target;
  readonly image: string;
  /** For the steps in that cluster. */
  readonly progress: Progress;
  /** Path of the sample in the checkout. */
  readonly sample: string;
  /** Makes what the sample needs besides the operator. @returns the objects to apply */
  readonly prepare: () => Promise<KubernetesObject[]>;
  /** Commands that show how to use the control plane. */
  usage(metadata: Karmada['metadata']): string;
}

/** The scene that the options ask for; they have been checked. */
export async function chooseScene(options: DemoOptions, progress: Progress): Promise<Scene> {
  if (options.remote) return remoteScene(progress);
  const { kubeconfig, image = '' } = options;
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
