import type { Rule } from './schema.ts';

/** A rule that is not held against a stored object that breaks it already. */
export function ratcheting(broken: (root: string) => string, message: string): Rule {
  const before = broken('oldSelf.value()');
  return {
    rule: `!(${broken('self')}) || (oldSelf.hasValue() && ${before})`,
    message,
    reason: 'FieldValueForbidden',
    optionalOldSelf: true,
  };
}
