/** Compares the CRD in the cluster with the one that this build of the operator was made for, and reports what it lacks. */
import { GROUP, PLURAL } from '../api/karmada.ts';
import type { Log } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { errorText } from '../kubernetes/errors.ts';
import type { EventRecorder } from '../kubernetes/events.ts';
import { resources } from '../kubernetes/resources.ts';
import { lacksOf, lacksText } from './compare.ts';

export interface ServedCrdOptions {
  readonly client: Pick<KubernetesClient, 'find'>;
  /** The CRD that this build was made for; read for each check, as it is large and seldom needed. */
  readonly expected: () => Promise<object>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly log: Log;
  /** Told how much is missing. */
  readonly onLacks: (count: number) => void;
}

const NAME = `${PLURAL}.${GROUP}`;
const TIMEOUT_MS = 10_000;

/**
 * Makes the check, to be called again and again. It reports only what has changed since the last call, and never rejects:
 * a CRD that cannot be read is no reason to do less.
 */
export function servedCrdCheck(options: ServedCrdOptions): () => Promise<void> {
  let said = '';
  return async () => {
    const { log } = options;
    try {
      said = await check(options, said);
    } catch (error) {
      const text = errorText(error);
      if (text !== said) log.warn({ crd: NAME, error: text }, 'the CRD could not be compared');
      said = text;
    }
  };
}

/** @returns what is said now; empty when nothing is missing */
async function check(options: ServedCrdOptions, said: string): Promise<string> {
  const { client, expected, events, log, onLacks } = options;
  const key = { name: NAME };
  const served = await client.find(resources.CustomResourceDefinition, key, {
    timeoutMs: TIMEOUT_MS,
  });
  // Without it nothing can be watched either, which the caches report.
  if (served === undefined) return said;
  const lacks = lacksOf(await expected(), { spec: served['spec'] as object });
  const text = lacksText(lacks);
  onLacks(lacks.length);
  if (text === said || (text === '' && said === '')) return text;
  if (text === '') {
    log.info({ crd: NAME }, 'the CRD has all fields and rules of this operator');
    return text;
  }
  const remedy =
    'apply the CRD of this release of the operator (crds/, or installCRDs of the chart)';
  log.warn({ crd: NAME, lacks: text }, 'the CRD lacks fields or rules of this operator');
  events.record({
    regarding: served,
    type: 'Warning',
    reason: 'CRDIncomplete',
    action: 'Compare',
    note: `CustomResourceDefinition ${NAME}: it lacks ${text} of the CRD that this operator was built for; ${remedy}`,
  });
  return text;
}
