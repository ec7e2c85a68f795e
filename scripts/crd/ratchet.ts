import type { Rule } from './schema.ts';

/** Ratcheting CEL rule: a violation passes if the stored object already has it. */
export function ratcheting(broken: (root: string) => string, message: string): Rule {
  const before = broken('oldSelf.value()');
  return {
    rule: `!(${broken('self')}) || (oldSelf.hasValue() && ${before})`,
    message,
    reason: 'FieldValueForbidden',
    optionalOldSelf: true,
  };
}
