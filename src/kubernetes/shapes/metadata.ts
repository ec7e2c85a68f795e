/** Shapes of what objects of several kinds have. */
import type { ObjectCondition, ObjectMeta } from '../objects/object.ts';
import type { Quantities } from '../objects/pod-kinds.ts';
import {
  amount,
  fieldsOf,
  flag,
  listOf,
  mapOf,
  needed,
  record,
  text,
  textOrNumber,
  texts,
  textThat,
  type Shape,
} from './shape.ts';

export const quantities: Shape<Quantities> = mapOf(textOrNumber);

export const conditions: Shape<readonly ObjectCondition[]> = listOf(
  fieldsOf({
    type: needed(text),
    status: needed(text),
    reason: text,
    message: text,
    lastTransitionTime: text,
  }),
);

/** Names, UIDs, versions and times are short. Some of them are remembered as long as there is an object. */
const MAX_LENGTH = 1_024;

const isShort = (value: string): boolean => value.length <= MAX_LENGTH;

const shortText = textThat(isShort);

/**
 * Names of all kinds are segments of paths (IsValidPathSegmentName of Kubernetes), here without control characters and those that change
 * the direction of a text; those of Namespaces are DNS labels (RFC 1123).
 */
const name = textThat(
  (value) =>
    isShort(value) &&
    !(/[/%\p{Cc}\p{Bidi_Control}]/u.test(value) || value === '.' || value === '..'),
);

const namespace = textThat((value) => /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?$/.test(value));

/** Metadata of an object, which has no name in the result of a review or in a bookmark. */
export const metadataShape: Shape<Partial<ObjectMeta>> = fieldsOf({
  name,
  namespace,
  uid: shortText,
  resourceVersion: shortText,
  generation: amount,
  creationTimestamp: shortText,
  deletionTimestamp: shortText,
  deletionGracePeriodSeconds: amount,
  labels: texts,
  annotations: texts,
  finalizers: listOf(text),
  ownerReferences: listOf(
    fieldsOf({
      apiVersion: needed(text),
      kind: needed(text),
      name: needed(text),
      uid: needed(text),
      controller: flag,
      blockOwnerDeletion: flag,
    }),
  ),
  managedFields: listOf(
    fieldsOf({
      manager: text,
      operation: text,
      subresource: text,
      apiVersion: text,
      time: text,
      fieldsType: text,
      fieldsV1: record,
    }),
  ),
});
