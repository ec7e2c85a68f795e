import type { Snapshot } from '../../instance/snapshot.ts';
import { FEATURES } from './features.ts';

/** Adds the facts to a snapshot that features derive from it. Pure function. */
export const derived = (snapshot: Snapshot): Snapshot =>
  FEATURES.reduce((seen, { derive }) => derive?.(seen) ?? seen, snapshot);
