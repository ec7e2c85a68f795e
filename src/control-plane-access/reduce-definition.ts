import type { CustomResourceDefinition } from '../kubernetes/objects/kinds.ts';
import { conditionOf } from '../kubernetes/objects/object.ts';

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
