/** Order of the conditions in the status. */
import type { ConditionType } from '../api/reasons/reason.ts';
import { CONDITION_TYPE } from './condition-types.ts';
import type { ConditionDraft } from './conditions.ts';

const ESTIMATORS = CONDITION_TYPE['karmada-scheduler-estimator'];

/** Types in one row keep the order in which they are reported. */
const ORDER: readonly (readonly ConditionType[])[] = [
  ['Ready', 'Progressing', 'Degraded'],
  ['CertificatesValid', 'ComponentIdentities'],
  [
    'EtcdHealthy',
    'EtcdAdopted',
    ...Object.values(CONDITION_TYPE).filter((type) => type !== ESTIMATORS),
  ],
  [ESTIMATORS],
  ['Stalled'],
  ['RepairPaused'],
  ['HostReachable'],
  ['OperatorRollout'],
  ['Warning'],
];

const RANK: ReadonlyMap<string, number> = new Map(
  ORDER.flatMap((types, rank) => types.map((type) => [type, rank])),
);

/** Sorts conditions. Types without a place come last. */
export const inStatusOrder = (drafts: readonly ConditionDraft[]): readonly ConditionDraft[] =>
  drafts.toSorted((one, other) => rankOf(one) - rankOf(other));

const rankOf = ({ type }: ConditionDraft): number => RANK.get(type) ?? ORDER.length;
