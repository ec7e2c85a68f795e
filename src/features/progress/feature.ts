import type { Feature } from '../../actions/feature.ts';
import { withProgress } from './with-progress.ts';

/** The time since the last progress of a control plane that is not ready. */
export const progress = { name: 'progress', judge: withProgress } satisfies Feature<unknown>;
