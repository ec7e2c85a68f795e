/** Commands `suspend` and `resume`. */
import type { Command } from 'commander';
import type { Karmada } from '../../api/karmada.ts';
import { withConnection } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import {
  changeKarmada,
  DRY_RUN,
  refuseDeleted,
  type ChangeFlags,
  type Decision,
} from './change-karmada.ts';

/** Adds the command `suspend`. */
export const addSuspend = (program: Command, environment: Environment): void =>
  add(program.command('suspend'), environment, suspendDecision);

/** Adds the command `resume`. */
export const addResume = (program: Command, environment: Environment): void =>
  add(program.command('resume'), environment, resumeDecision);

function add(
  command: Command,
  environment: Environment,
  decide: (karmada: Karmada) => Decision,
): void {
  command
    .argument('<name>', 'name of the Karmada')
    .option('--dry-run', DRY_RUN)
    .action(async (name: string, _, own: Command) => {
      const flags = own.optsWithGlobals<ChangeFlags>();
      await withConnection(environment, flags, (connection) =>
        changeKarmada({ environment, connection, flags }, name, decide),
      );
    });
}

/** Sets `spec.suspend`. */
export function suspendDecision(karmada: Karmada): Decision {
  refuseDeleted(karmada);
  if (karmada.spec?.suspend === true) return { done: 'already suspended' };
  const { step } = karmada.status?.upgrade ?? {};
  return {
    patch: { spec: { suspend: true } },
    effect: [
      'The operator no longer repairs or changes the control plane, and renews no certificates. It still processes a deletion.',
      ...(step === undefined ? [] : [`The upgrade stays at step ${step}.`]),
    ],
    done: 'suspended',
  };
}

/** Removes `spec.suspend`, so that no field manager owns it. */
export function resumeDecision(karmada: Karmada): Decision {
  refuseDeleted(karmada);
  if (karmada.spec?.suspend !== true) return { done: 'not suspended' };
  const { name, namespace = '' } = karmada.metadata;
  return {
    patch: { spec: { suspend: null } },
    effect: [
      `The operator applies the present spec. Follow it with: kubectl karmada-operator status ${name} -n ${namespace} --wait`,
    ],
    done: 'resumed',
  };
}
