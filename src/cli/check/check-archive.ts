/** The archive with the CRDs of the control plane. */
import { fetchFromObject } from '../../crd-archives/fetch.ts';
import { archiveSource, spoken } from '../../crd-archives/source.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { Slots } from '../../kubernetes/fairness/slots.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

const TIMEOUT_MS = 30_000;

/** Reads and verifies the archive of a ConfigMap or Secret. Only the operator can reach the other sources. */
export async function archive({ tools, karmada, spec }: Subject): Promise<Found> {
  const { client, secretPolicy } = tools;
  const source = archiveSource(karmada.metadata.namespace ?? '', spec);
  if (source === undefined) return { problems: [], ok: 'the Karmada names no archive' };
  if (source.kind === 'release')
    return { problems: [], ok: `the operator reads the CRDs of Karmada ${source.release}` };
  const text = spoken(source);
  if (source.kind !== 'object')
    return { problems: [], ok: `only the operator reads the archive from ${text}` };
  const { object, name, namespace } = source;
  // A missing permission of this user skips the check. It is none of the operator.
  await client.find(resources[object], { namespace, name });
  const reader = { client, secretPolicy, verifications: new Slots(1) };
  const ends = AbortSignal.timeout(TIMEOUT_MS);
  const { problem } = await fetchFromObject(reader, source, undefined, ends);
  return {
    ok: `${text} has the CRDs`,
    problems: problem === undefined ? [] : [{ outcome: 'failed', ...problem }],
  };
}
