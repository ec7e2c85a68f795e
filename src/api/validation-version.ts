/** What `spec.version` says of the tags beside it. */
import { whenOn } from './addon.ts';
import type { FieldError } from './field-error.ts';
import { invalid } from './field-error.ts';
import { KARMADA_COMPONENTS } from './images.ts';
import type { KarmadaSpec } from './karmada.ts';
import { compareVersions, parseVersion } from './versions.ts';

/**
 * Tags that are of another release than `spec.version`. For a Karmada whose defaults are stored: only then can a tag
 * of the user be told from a default that has yet to follow. A tag without a version in it may be anything.
 */
export function contradictingTags({ version, components }: KarmadaSpec): readonly FieldError[] {
  const release = version ? parseVersion(version) : undefined;
  if (release === undefined) return [];
  return KARMADA_COMPONENTS.flatMap((key) => {
    const { imageTag } = whenOn(components?.[key]) ?? {};
    const found = imageTag ? parseVersion(imageTag) : undefined;
    if (found === undefined || compareVersions(found, release) === 0) return [];
    const remedy = `contradicts spec.version ${version}; remove the tag, which then follows it`;
    return [invalid(`spec.components.${key}.imageTag`, imageTag, remedy)];
  });
}
