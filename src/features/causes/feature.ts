import type { Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import { componentCauses } from './component-causes.ts';
import { observeEvents, readEventsInBackground, type EventReaders } from './observe-events.ts';

/** Why components are not ready. */
export const causes = {
  name: 'causes',
  observers: {
    facts: ({ tools, instance }: ObserveContext<EventReaders>) => observeEvents(tools, instance),
    afterPlan: ({ tools, instance }: ObserveContext<EventReaders>, snapshot) => {
      readEventsInBackground(tools, instance, snapshot);
    },
  },
  causes: componentCauses,
} satisfies Feature<unknown, EventReaders>;
