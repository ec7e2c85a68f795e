/** Rules for Pod scheduling: affinity and tolerations. */
import type { Alternative } from '../schema.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import { LABEL_VALUE, OPTIONAL_LABEL_KEY } from './patterns.ts';

const WEIGHT: Overlay = { minimum: 1, maximum: 100 };
const NONE: Alternative = { maxItems: 0 };

/** Selector expression with one of these operators and matching values. */
function expression(operators: readonly string[], values: Alternative): Alternative {
  const properties = { operator: { enum: operators }, values };
  return { properties, ...(values !== NONE && { required: ['values'] }) };
}

const SET = expression(['In', 'NotIn'], { minItems: 1 });
const PRESENCE = expression(['Exists', 'DoesNotExist'], NONE);
const NODE_EXPRESSIONS = [SET, PRESENCE, expression(['Gt', 'Lt'], { minItems: 1, maxItems: 1 })];

/** Rules by Kubernetes type. `src/api/validation-affinity.ts` validates the syntax of the labels. */
export const SCHEDULING: TypeRules = {
  LabelSelectorRequirement: { oneOf: [SET, PRESENCE] },
  NodeSelector: { fields: { nodeSelectorTerms: { minItems: 1 } } },
  NodeSelectorTerm: {
    fields: {
      matchExpressions: { items: { oneOf: NODE_EXPRESSIONS } },
      matchFields: {
        items: {
          required: ['values'],
          fields: {
            key: { enum: ['metadata.name'] },
            operator: { enum: ['In', 'NotIn'] },
            values: { minItems: 1, maxItems: 1 },
          },
        },
      },
    },
  },
  PreferredSchedulingTerm: { fields: { weight: WEIGHT } },
  WeightedPodAffinityTerm: { fields: { weight: WEIGHT } },
  Toleration: {
    fields: {
      key: OPTIONAL_LABEL_KEY,
      operator: { enum: ['', 'Exists', 'Equal'] },
      value: LABEL_VALUE,
      effect: { enum: ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
    },
    rules: [
      {
        rule: "(self.?operator.orValue('') == 'Exists' ? self.?value.orValue('') == '' : self.?key.orValue('') != '') && (!has(self.tolerationSeconds) || self.?effect.orValue('') == 'NoExecute')",
        message: 'Exists takes no value, Equal needs a key, tolerationSeconds needs NoExecute',
      },
    ],
  },
};
