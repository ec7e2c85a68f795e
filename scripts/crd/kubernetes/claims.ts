/** Rules for PVCs, for labels and annotations, and for container resources. */
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

/** CEL raw string literal of a regular expression. */
const literal = (pattern: string): string => `r'${pattern}'`;

const KEY_SYNTAX = 'keys must be [prefix/]name';

/** Rule for the keys of a map: a pattern for the whole key, and a length limit for the prefix. */
function keys(pattern: string, reserved = '', message = ''): Rule {
  return {
    rule: `self.all(k, k.matches(${literal(pattern)}) && k.indexOf('/') <= 253${reserved})`,
    message: `${KEY_SYNTAX}${message}`,
  };
}

/**
 * Rules for labels.
 * @param reserved additional CEL condition on a key `k`, starting with " && "
 * @param message text about that condition, appended to the message of the rule
 */
export function labels(reserved?: string, message?: string): Overlay {
  const rules = [keys(QUALIFIED_PATTERN, reserved, message)];
  return { maxProperties: 256, values: LABEL_VALUE, rules };
}

/** Kubernetes allows 256 KiB for all annotations of an object; the operator needs some of it. */
const MAX_ANNOTATIONS = 261_000;

/** Rules for annotations, with the parameters of `labels`. */
export function annotations(reserved?: string, message?: string): Overlay {
  return {
    maxProperties: 256,
    values: { maxLength: MAX_ANNOTATIONS },
    rules: [
      keys(ANNOTATION_KEY_PATTERN, reserved, message),
      {
        rule: `self.map(k, size(k) + size(self[k])).sum() <= ${MAX_ANNOTATIONS}`,
        message: `at most ${MAX_ANNOTATIONS} characters in total`,
      },
    ],
  };
}

/** Maps with arbitrary keys. Why the limit: server-side apply parses YAML, which rejects longer keys. */
export const SHORT_KEYS: Overlay = {
  maxProperties: 64,
  rules: [{ rule: 'self.all(k, size(k) <= 150)', message: 'keys must not exceed 150 characters' }],
};

const COMPUTE_PATTERN = 'cpu|memory|ephemeral-storage';
const RESOURCE = `^(${COMPUTE_PATTERN}|hugepages-[1-9]\\d{0,8}([KMGTPE]i|[kMGTPE])?|${EXTENDED})$`;

const AMOUNTS: Overlay = { maxProperties: 64, values: AMOUNT };

const LIMITS: Overlay = {
  ...AMOUNTS,
  rules: [
    {
      rule: `self.all(k, k.matches(${literal(RESOURCE)}) && k.indexOf('/') <= 244 && !k.startsWith('requests.'))`,
      message: 'keys must be cpu, memory, ephemeral-storage, hugepages-SIZE or DOMAIN/NAME',
    },
  ],
};

/**
 * CEL: the request of `k` does not exceed the limit. A quantity is a string or a number. The type check uses `in`,
 * because the API server can bound the cost of this form only.
 */
const WITHIN_LIMIT =
  "[[self.requests[k], self.limits[k]].map(q, type(q) in [string] ? quantity(q) : quantity('0').add(q))].all(q, q[0].compareTo(q[1]) <= 0)";

/** `src/api/validation/resources.ts` validates resources that Kubernetes does not overcommit. */
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

/** Label selector; `scheduling.ts` has the rules for operators and values. */
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
      message: 'kind must be PersistentVolumeClaim if apiGroup is not set',
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
            message: 'ReadWriteOncePod cannot be combined with other access modes',
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
        message: 'resources.requests.storage is required (storage per etcd member, such as 8Gi)',
      },
      {
        rule: "!has(self.dataSource) || !has(self.dataSourceRef) || (self.dataSourceRef.?__namespace__.orValue('') == '' && self.dataSource.kind == self.dataSourceRef.kind && self.dataSource.name == self.dataSourceRef.name && (has(self.dataSource.apiGroup) ? has(self.dataSourceRef.apiGroup) && self.dataSource.apiGroup == self.dataSourceRef.apiGroup : !has(self.dataSourceRef.apiGroup)))",
        message: 'dataSource and dataSourceRef must reference the same object; set only one',
      },
    ],
  },
};
