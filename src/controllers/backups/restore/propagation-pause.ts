/**
 * How a KarmadaRestore names itself in the annotation that pauses the propagation: pure. Each restore ends its own pause only, so that
 * one that is withdrawn does not continue what an earlier one has paused, even with the same name.
 */
import type { KarmadaRestore } from '../../../api/backup/kinds.ts';
import { PROPAGATION_PAUSED } from '../../../features/propagation/propagation.ts';

type Annotations = Readonly<Record<string, string>>;
type Named = Pick<KarmadaRestore, 'metadata'>;

const nameOf = ({ metadata: { name, uid = '' } }: Named): string => `${name}/${uid}`;

const namesIn = ({ [PROPAGATION_PAUSED]: value }: Annotations): readonly string[] =>
  value === undefined ? [] : value.split(',');

/** Whether the restore pauses the propagation. */
export const pauses = (restore: Named, annotations: Annotations): boolean =>
  namesIn(annotations).includes(nameOf(restore));

/** Value of the annotation with the pause of the restore. */
export const withPause = (restore: Named, annotations: Annotations): string =>
  [...new Set([...namesIn(annotations), nameOf(restore)])].join(',');

/** Value of the annotation without the pause of the restore; null if nobody else pauses the propagation. */
export function withoutPause(restore: Named, annotations: Annotations): string | null {
  const others = namesIn(annotations).filter((name) => name !== nameOf(restore));
  return others.length === 0 ? null : others.join(',');
}
