/** Rules for claims of volumes and for resources of containers. */
import type { Rule } from '../schema.ts';
import type { Overlay, TypeRules } from './overlay.ts';
import {
  AMOUNT,
  ANNOTATION_KEY_PATTERN,
  EXTENDED,
  LABEL_KEY,
  LABEL_VALUE,
  OPTIONAL_DNS_LABEL,
  OPTIONAL_OBJECT_NAME,
  POSITIVE_AMOUNT,
  QUALIFIED_PATTERN,
  QUANTITY_PATTERN,
} from './patterns.ts';

/** A regular expression as a literal of CEL. */
const literal = (pattern: string): string => `r'${pattern}'`;

const KEY_SYNTAX = 'a key is a name such as team or example.com/team';

/** Keys of a map: a length that both parts of a key may have, and a pattern for the whole. */
function keys(pattern: string, reserved = '', message = ''): Rule {
  return {
    rule: `self.all(k, k.matches(${literal(pattern)}) && k.indexOf('/') <= 253${reserved})`,
    message: `${KEY_SYNTAX}${message}`,
  };
}

/**
 * Labels of pods, or of something else.
 * @param reserved what else must hold for a key `k`, after " && ", and words for it
 */
export function labels(reserved?: string, message?: string): Overlay {
  const rules = [keys(QUALIFIED_PATTERN, reserved, message)];
  return { maxProperties: 256, values: LABEL_VALUE, rules };
}

/** All annotations of an object together have at most 256 KiB; some of it is the operator's. */
const MAX_ANNOTATIONS = 261_000;

/** Annotations, like `labels`. */
export function annotations(reserved?: string, message?: string): Overlay {
  return {
    maxProperties: 256,
    values: { maxLength: MAX_ANNOTATIONS },
    rules: [
      keys(ANNOTATION_KEY_PATTERN, reserved, message),
      {
        rule: `self.map(k, size(k) + size(self[k])).sum() <= ${MAX_ANNOTATIONS}`,
        message: `at most ${MAX_ANNOTATIONS} characters together`,
      },
    ],
  };
}

/** Keys of any kind: server-side apply, which is YAML, takes no longer ones. */
export const SHORT_KEYS: Overlay = {
  maxProperties: 64,
  rules: [{ rule: 'self.all(k, size(k) <= 150)', message: 'a key has at most 150 characters' }],
};

const COMPUTE_PATTERN = 'cpu|memory|ephemeral-storage';
const RESOURCE = `^(${COMPUTE_PATTERN}|hugepages-[1-9]\\d{0,8}([KMGTPE]i|[kMGTPE])?|${EXTENDED})$`;

const AMOUNTS: Overlay = { maxProperties: 64, values: AMOUNT };

const LIMITS: Overlay = {
  ...AMOUNTS,
  rules: [
    {
      rule: `self.all(k, k.matches(${literal(RESOURCE)}) && k.indexOf('/') <= 244 && !k.startsWith('requests.'))`,
      message: 'a resource is cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<name>',
    },
  ],
};

/**
 * A request of `k` is not above its limit. A quantity is text or number: of the ways to find out which, only `in` has a
 * cost that the API server can bound.
 */
const WITHIN_LIMIT =
  "[[self.requests[k], self.limits[k]].map(q, type(q) in [string] ? quantity(q) : quantity('0').add(q))].all(q, q[0].compareTo(q[1]) <= 0)";

/** Resources that Kubernetes does not overcommit, and their multiples: `src/api/validation-resources.ts`. */
export const RESOURCES: TypeRules = {
  Quantity: { pattern: QUANTITY_PATTERN },
  ResourceRequirements: {
    fields: { limits: LIMITS, requests: AMOUNTS, claims: { maxItems: 0 } },
    rules: [
      {
        rule: `!has(self.requests) || self.requests.all(k, has(self.limits) && k in self.limits ? ${WITHIN_LIMIT} : k.matches(${literal(`^(${COMPUTE_PATTERN}|kubernetes[.]io/[-\\w.]+)$`)}))`,
        message: 'requests must not exceed limits; only cpu, memory, ephemeral-storage need none',
      },
    ],
  },
};

/** A selector of labels, whose operators and values are in `scheduling.ts`. */
const SELECTOR: Overlay = {
  fields: {
    matchLabels: labels(),
    matchExpressions: {
      items: { fields: { key: LABEL_KEY, values: { items: LABEL_VALUE } } },
    },
  },
};

const SHORT: Overlay = { minLength: 1, maxLength: 253 };

const REFERENCE: Overlay = {
  fields: { kind: SHORT, name: SHORT, apiGroup: OPTIONAL_OBJECT_NAME },
  rules: [
    {
      rule: "self.?apiGroup.orValue('') != '' || self.kind == 'PersistentVolumeClaim'",
      message: 'without apiGroup the kind must be PersistentVolumeClaim',
    },
  ],
};

export const CLAIMS: TypeRules = {
  TypedLocalObjectReference: REFERENCE,
  TypedObjectReference: {
    ...REFERENCE,
    fields: { ...REFERENCE.fields, namespace: OPTIONAL_DNS_LABEL },
  },
  PersistentVolumeClaimSpec: {
    required: ['accessModes', 'resources'],
    fields: {
      accessModes: {
        minItems: 1,
        maxItems: 16,
        items: { enum: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] },
        rules: [
          {
            rule: "!('ReadWriteOncePod' in self) || self.all(m, m == 'ReadWriteOncePod')",
            message: 'ReadWriteOncePod cannot go with other access modes',
          },
        ],
      },
      resources: {
        required: ['requests'],
        fields: { limits: SHORT_KEYS, requests: { ...SHORT_KEYS, values: POSITIVE_AMOUNT } },
      },
      selector: SELECTOR,
      storageClassName: OPTIONAL_OBJECT_NAME,
      volumeAttributesClassName: OPTIONAL_OBJECT_NAME,
      volumeMode: { enum: ['Block', 'Filesystem'] },
    },
    rules: [
      {
        rule: "'storage' in self.resources.requests",
        message: 'resources.requests.storage must say how much storage a member gets, such as 8Gi',
      },
      {
        rule: "!has(self.dataSource) || !has(self.dataSourceRef) || (self.dataSourceRef.?__namespace__.orValue('') == '' && self.dataSource.kind == self.dataSourceRef.kind && self.dataSource.name == self.dataSourceRef.name && (has(self.dataSource.apiGroup) ? has(self.dataSourceRef.apiGroup) && self.dataSource.apiGroup == self.dataSourceRef.apiGroup : !has(self.dataSourceRef.apiGroup)))",
        message: 'dataSource and dataSourceRef must name the same object; set one of them',
      },
    ],
  },
};
