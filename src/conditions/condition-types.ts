/** Condition types: one for each component, and one for a remote host cluster. */
import { factsByName } from '../api/component-catalog.ts';

/** Whether the operator can use a remote host cluster. */
export const HOST_REACHABLE = 'HostReachable';

/** Condition type of each component. */
export const CONDITION_TYPE = factsByName('condition');

/** Condition type of a control plane that rolls, or waits to roll, for a new version of the operator. */
export const OPERATOR_ROLLOUT = 'OperatorRollout';
