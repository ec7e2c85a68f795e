/** Rules for Pod scheduling: affinity and tolerations. */
import type { Alternative } from '../schema.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import { LABEL_VALUE, NOT_EMPTY, OPTIONAL_LABEL_KEY } from './patterns.ts';

const WEIGHT: Overlay = { minimum: 1, maximum: 100 };
const WITH_VALUES: Alternative = { properties: { values: { minItems: 1 } }, required: ['values'] };

/** Alternative: the operator matches a pattern. */
const operator = (pattern: string): Alternative => ({ properties: { operator: { pattern } } });

/**
 * Expression of a label selector: either it has values, or its operator is Exists or DoesNotExist. The CRD repeats it a
 * hundred times, so the alternatives do not list the operators again.
 */
const LABEL_EXPRESSION: Overlay = {
  fields: { operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'] } },
  oneOf: [WITH_VALUES, operator('Exist')],
};

/** Expression of a node selector: also Gt and Lt, which require exactly one value. */
const NODE_EXPRESSION: Overlay = {
  fields: { operator: { enum: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] } },
  oneOf: [WITH_VALUES, operator('Exist')],
  anyOf: [{ properties: { values: { maxItems: 1 } } }, operator('In|Exist')],
};

/** Rules by Kubernetes type. `src/api/validation/affinity.ts` validates the syntax of the labels. */
export const SCHEDULING: TypeRules = {
  LabelSelectorRequirement: LABEL_EXPRESSION,
  NodeSelector: { fields: { nodeSelectorTerms: { minItems: 1 } } },
  NodeSelectorTerm: {
    fields: {
      matchExpressions: { items: NODE_EXPRESSION },
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
  TopologySpreadConstraint: {
    fields: {
      maxSkew: { minimum: 1 },
      minDomains: { minimum: 1 },
      topologyKey: NOT_EMPTY,
      whenUnsatisfiable: { enum: ['DoNotSchedule', 'ScheduleAnyway'] },
      nodeAffinityPolicy: { enum: ['Honor', 'Ignore'] },
      nodeTaintsPolicy: { enum: ['Honor', 'Ignore'] },
    },
    rules: [
      {
        rule: "!has(self.minDomains) || self.whenUnsatisfiable == 'DoNotSchedule'",
        message: 'minDomains requires whenUnsatisfiable: DoNotSchedule',
      },
    ],
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
