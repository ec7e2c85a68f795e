import type { Applier } from '../kubernetes/apply/apply.ts';
import type { CustomResourceDefinition } from '../kubernetes/objects/kinds.ts';
import { conditionOf, type KubernetesObject } from '../kubernetes/objects/object.ts';

/**
 * Cache transform for CRDs: keeps metadata and the condition Established. Schemas take 0.7 MB per control plane.
 * `metadata.generation` changes with each change of the spec; only then the operator reads and compares the full
 * object.
 */
export function reduceDefinition(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { apiVersion, kind, metadata } = crd;
  const established = conditionOf(crd, 'Established');
  if (established?.status === 'True') return { apiVersion, kind, metadata, status: ESTABLISHED };
  return { apiVersion, kind, metadata, status: { conditions: established ? [established] : [] } };
}

/** Status of all CRDs that an API server serves. */
const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True' }] } as const;

/** Compares the CRDs of the first list with the desired ones while they are complete, so that they are not read a second time. */
export class ListedDefinitions {
  readonly #applier: Pick<Applier, 'compare'>;
  #desired: ReadonlyMap<string, KubernetesObject> = new Map();

  constructor(applier: Pick<Applier, 'compare'>) {
    this.#applier = applier;
  }

  /** @param desired CRDs of the control plane; without them, the operator reads the CRDs later */
  expect(desired: readonly KubernetesObject[]): void {
    this.#desired = new Map(desired.map((crd) => [crd.metadata.name, crd]));
  }

  /** Forgets the desired CRDs, which have 0.7 MB. */
  forget(): void {
    this.#desired = new Map();
  }

  /** Cache transform, see `reduceDefinition`. */
  reduce(crd: CustomResourceDefinition): CustomResourceDefinition {
    const desired = this.#desired.get(crd.metadata.name);
    if (desired !== undefined) this.#applier.compare(desired, crd);
    return reduceDefinition(crd);
  }
}
