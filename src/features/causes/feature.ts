import type { Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import { observeEvents, type EventReaders } from './observe-events.ts';

/** Why components are not ready. */
export const causes = {
  name: 'causes',
  observers: {
    facts: ({ tools, instance }: ObserveContext<EventReaders>) => observeEvents(tools, instance),
  },
} satisfies Feature<unknown, EventReaders>;
