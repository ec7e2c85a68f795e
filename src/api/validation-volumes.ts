/** Rules for volumes that a user adds to pods. */
import type { V1Volume, V1VolumeProjection } from '@kubernetes/client-node';

import type { FieldError } from './field-error.ts';
import { invalid } from './field-error.ts';

/**
 * Every file of a projected volume needs a path of its own. To compare all files with all others would cost more
 * in the CRD than its rules may.
 * @param field path of the list of volumes
 */
export function validateVolumes(
  field: string,
  volumes: readonly V1Volume[] = [],
): readonly FieldError[] {
  return volumes.flatMap(({ projected }, index) => {
    const paths = (projected?.sources ?? []).flatMap(filesOf);
    const twice = new Set(paths.filter((path, place) => paths.indexOf(path) !== place));
    const at = `${field}[${index}].projected.sources`;
    return [...twice].map((path) =>
      invalid(at, path, 'is the path of several files; give each a path of its own'),
    );
  });
}

function filesOf(source: V1VolumeProjection): readonly string[] {
  const items = [source.secret, source.configMap, source.downwardAPI].flatMap<{ path: string }>(
    (files) => files?.items ?? [],
  );
  return items.map(({ path }) => path);
}
