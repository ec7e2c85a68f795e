/** Validates volumes that a user adds to Pods. */
import type { V1Volume, V1VolumeProjection } from '@kubernetes/client-node';

import type { FieldError } from './field-error.ts';
import { invalid } from './field-error.ts';

/**
 * Validates that files of a projected volume have unique paths. Comparing all pairs in CEL exceeds the cost budget.
 * @param field path of the list of volumes
 */
export function validateVolumes(
  field: string,
  volumes: readonly V1Volume[] = [],
): readonly FieldError[] {
  return volumes.flatMap(({ projected }, index) => {
    const paths = (projected?.sources ?? []).flatMap(filesOf);
    const twice = repeated(paths);
    const at = `${field}[${index}].projected.sources`;
    return [...twice].map((path) =>
      invalid(at, path, 'several files have this path; use unique paths'),
    );
  });
}

/** Values that a list has more than once. */
function repeated(list: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(list.filter((value) => seen.size === seen.add(value).size));
}

function filesOf(source: V1VolumeProjection): readonly string[] {
  const items = [source.secret, source.configMap, source.downwardAPI].flatMap<{ path: string }>(
    (files) => files?.items ?? [],
  );
  return items.map(({ path }) => path);
}
