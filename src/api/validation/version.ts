/** Validates image tags against `spec.version`. */
import { ifEnabled } from '../addon.ts';
import type { FieldError } from './field-error.ts';
import { invalid } from './field-error.ts';
import { KARMADA_COMPONENTS } from '../images.ts';
import type { KarmadaSpec } from '../karmada.ts';
import { compareVersions, parseVersion } from '../versions/versions.ts';

/**
 * Returns an error for each tag of another release than `spec.version`. Call it after the defaults are stored: before
 * that, an outdated tag may be a default that still has to follow. A tag without a version is accepted.
 */
export function mismatchedTags({ version, components }: KarmadaSpec): readonly FieldError[] {
  const release = version ? parseVersion(version) : undefined;
  if (release === undefined) return [];
  return KARMADA_COMPONENTS.flatMap((key) => {
    const { imageTag } = ifEnabled(components?.[key]) ?? {};
    const found = imageTag ? parseVersion(imageTag) : undefined;
    if (found === undefined || compareVersions(found, release) === 0) return [];
    const remedy = `does not match spec.version ${version}; remove the tag, it then follows spec.version`;
    return [invalid(`spec.components.${key}.imageTag`, imageTag, remedy)];
  });
}
