/** Consent to change an etcd that the Go operator created: pure. */
import type { ObjectMeta } from '../../kubernetes/objects/object.ts';
import { invalid, type FieldError } from './field-error.ts';

/** Annotation of a Karmada. Without it the operator never changes an etcd of the Go operator. */
export const ADOPT_ETCD_ANNOTATION = 'operator.karmada.io/adopt-etcd';

/** Value that gives the consent. */
export const ADOPT_ETCD = 'Automatic';

type Annotated = Pick<ObjectMeta, 'annotations'>;

/** Whether the operator may change an etcd of the Go operator. */
export const mayAdoptEtcd = ({ annotations }: Annotated): boolean =>
  annotations?.[ADOPT_ETCD_ANNOTATION] === ADOPT_ETCD;

/** Validates the value of the annotation. */
export function validateAdoptEtcd({ annotations }: Annotated): readonly FieldError[] {
  const value = annotations?.[ADOPT_ETCD_ANNOTATION];
  if (value === undefined || value === ADOPT_ETCD) return [];
  const message = `must be ${ADOPT_ETCD}; without the annotation etcd stays as the Go operator created it`;
  return [invalid(`metadata.annotations["${ADOPT_ETCD_ANNOTATION}"]`, value, message)];
}
