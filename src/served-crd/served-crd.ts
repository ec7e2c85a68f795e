/** Compares the CRD in the cluster with the CRD of this operator version, and reports missing parts. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import { GROUP, PLURAL } from '../api/karmada.ts';
import type { Log } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { errorText } from '../kubernetes/client/errors.ts';
import type { EventRecorder } from '../kubernetes/client/events.ts';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { lacksOf, lacksText } from './compare.ts';

export interface ServedCrdOptions {
  readonly client: Pick<KubernetesClient, 'find'>;
  /** Loads the CRD of this operator version. Called for each check, because the CRD is large and seldom needed. */
  readonly expected: () => Promise<object>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly log: Log;
  /** Called after each successful check with the number of missing parts. */
  readonly onLacks: (count: number) => void;
}

const NAME = `${PLURAL}.${GROUP}`;
const TIMEOUT_MS = 10_000;

/**
 * Creates a check for periodic calls. It reports only changes since the last call. It never rejects: the operator
 * continues to work if it cannot read the CRD.
 */
export function servedCrdCheck(options: ServedCrdOptions): () => Promise<void> {
  let said = '';
  return async () => {
    const { log } = options;
    try {
      said = await check(options, said);
    } catch (error) {
      const text = errorText(error);
      if (text !== said) log.warn({ crd: NAME, error: text }, 'CRD check failed');
      said = text;
    }
  };
}

/** @returns the reported text; empty if nothing is missing */
async function check(options: ServedCrdOptions, said: string): Promise<string> {
  const { client, expected, events, log, onLacks } = options;
  const key = { name: NAME };
  const served = await client.find(resources.CustomResourceDefinition, key, {
    timeoutMs: TIMEOUT_MS,
  });
  // Without the CRD no Karmada can be watched either, and the caches report that.
  if (served === undefined) return said;
  const lacks = lacksOf(await expected(), { spec: fieldsOf(served['spec']) });
  const text = lacksText(lacks);
  onLacks(lacks.length);
  if (text === said || (text === '' && said === '')) return text;
  if (text === '') {
    log.info({ crd: NAME }, 'CRD is complete');
    return text;
  }
  const remedy = 'apply the CRD of this operator release (crds/, or installCRDs of the chart)';
  log.warn({ crd: NAME, lacks: text }, 'CRD lacks fields or rules of this operator version');
  events.record({
    regarding: served,
    type: 'Warning',
    reason: 'CRDIncomplete' satisfies Reason,
    action: 'Compare',
    note: `CustomResourceDefinition ${NAME}: missing ${text}, compared with the CRD of this operator version; ${remedy}`,
  });
  return text;
}
