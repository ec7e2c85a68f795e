/** Finds the losses that a Karmada reports, and the annotations that give up what is lost. Pure functions. */
import { ABANDON_HOST_ANNOTATION, type Condition, type Karmada } from '../../api/karmada.ts';
import { START_EMPTY_ANNOTATION } from '../../etcd-cluster/identity/record.ts';
import { TAKE_OVER_ANNOTATION } from '../../features/external-etcd/external-data.ts';
import { confirmedMember } from '../../etcd-cluster/recovery/confirmed-member.ts';
import { RECOVER_ANNOTATION } from '../../etcd-cluster/recovery/survivors.ts';
import { CommandError, CommandErrors } from '../program/environment.ts';
import type { Decision } from './change-karmada.ts';
import { replacementsOf } from './replaced-etcd.ts';

/** What each annotation gives up. */
const GIVES_UP: Readonly<Record<string, string>> = {
  [RECOVER_ANNOTATION]: 'what only the lost etcd members have',
  [START_EMPTY_ANNOTATION]: 'all data of the lost etcd cluster',
  [TAKE_OVER_ANNOTATION]:
    'the former data: the control plane uses exactly what the external etcd has',
  [ABANDON_HOST_ANNOTATION]: 'everything in the lost host cluster',
};

/** A loss, and the annotation that confirms that it is final. */
export interface Loss {
  readonly annotation: string;
  readonly value: string;
  /** What the confirmation gives up. */
  readonly givesUp: string;
  /** Reason and message of the condition that reports the loss. */
  readonly cause: string;
}

const SUMMARIES: ReadonlySet<string> = new Set(['Ready', 'Degraded', 'Progressing', 'Stalled']);

/**
 * Returns the losses that the conditions report, each with the value that the operator asks for. An etcd of the Go operator
 * has a value for each of its clusters.
 */
export function lossesOf(karmada: Karmada): readonly Loss[] {
  const replaced = replacementsOf(karmada);
  return [
    ...reportedLosses(karmada),
    ...replaced.map((one) => ({ ...one, annotation: RECOVER_ANNOTATION })),
  ];
}

function reportedLosses({ status }: Karmada): readonly Loss[] {
  // These repeat the message of another condition.
  const isSummary = ({ type }: Condition): boolean => SUMMARIES.has(type);
  const all = status?.conditions ?? [];
  const conditions = [...all.filter((one) => !isSummary(one)), ...all.filter(isSummary)];
  return Object.entries(GIVES_UP).flatMap(([annotation, givesUp]) => {
    const found = conditions.flatMap(({ reason, message }): readonly Loss[] => {
      const value = valueIn(message, annotation);
      if (value === undefined) return [];
      return [{ annotation, value, givesUp, cause: `${reason}: ${message}` }];
    });
    return found.slice(0, 1);
  });
}

/** Messages contain the annotation as it is set with kubectl. */
function valueIn(message: string, annotation: string): string | undefined {
  const [, after] = message.split(`${annotation}=`);
  return after === undefined ? undefined : /^[a-z0-9](?:[a-z0-9./-]*[a-z0-9])?/.exec(after)?.[0];
}

/**
 * Returns the loss that a value confirms. etcd can also be recovered from another member than the proposed one.
 * @throws CommandError without a reported loss, or for another value
 */
export function confirmedLoss(karmada: Karmada, value: string): Loss {
  const losses = someLosses(karmada);
  const exact = losses.find((loss) => loss.value === value);
  if (exact !== undefined) return exact;
  const etcd = losses.find(({ annotation }) => annotation === RECOVER_ANNOTATION);
  if (etcd !== undefined && confirmedMember(value) !== undefined) return { ...etcd, value };
  throw new CommandErrors(
    losses.map((loss) => `${JSON.stringify(value)} confirms no loss; expected ${loss.value}`),
  );
}

/** Returns the losses of a Karmada. @throws CommandError if there is none */
export function someLosses(karmada: Karmada): readonly Loss[] {
  const losses = lossesOf(karmada);
  if (losses.length > 0) return losses;
  throw new CommandError(
    'the operator reports no loss that a confirmation would end; see the command status',
  );
}

/** Sets the annotation of the loss that a value confirms. @throws CommandError as `confirmedLoss` */
export function recoverDecision(karmada: Karmada, value: string): Decision {
  const { annotation } = confirmedLoss(karmada, value);
  const words = `annotated with ${annotation}=${value}`;
  if (karmada.metadata.annotations?.[annotation] === value) return { done: `already ${words}` };
  return { patch: { metadata: { annotations: { [annotation]: value } } }, done: words };
}
