/** Secrets of the control plane karmada-demo in the namespace team, in each phase of the rotation of a CA. */
import { NOW } from '../../../instance/__fixtures__/instance.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { authorityFacts, type AuthorityFacts } from '../../../pki/authority-facts.ts';
import { ensureCertificates } from '../../../pki/ensure.ts';
import {
  decode,
  INPUTS,
  issuance,
  ready,
  readsOf,
  request,
} from '../../../pki/fixture.test-data.ts';
import { issueProbe } from '../../../pki/probe.ts';
import type { AuthorityName, PkiInputs, SecretReads } from '../../../pki/types.ts';
import { certificateBlocks } from '../../../untrusted/pem.ts';
import { pkiPlansIn } from '../pki-plans.ts';
import { EMPTY_RECORD, formatRecord, ROTATION_ANNOTATION, type Rotation } from '../record.ts';
import { OWNED } from './objects.ts';

const NAME = 'karmada-demo';
const DATE = new Date(NOW);
export const INPUT: PkiInputs = { ...INPUTS, name: NAME, namespace: 'team' };
export const MINUTE = 60_000;
/** Part of a record: the Secrets have the content of the phase long enough. */
export const WRITTEN = { writtenAt: NOW - 20 * MINUTE };

const recordOf = (rotation: Rotation): string =>
  formatRecord({ ...EMPTY_RECORD, rotations: [rotation] });

/** The Secrets with the content of a phase. */
async function inPhase(rotation: Rotation, reads: SecretReads): Promise<SecretReads> {
  const { authorities } = pkiPlansIn(recordOf(rotation));
  const made = request({ inputs: INPUT, reads, authorityPlans: authorities, keepsTrust: true });
  return readsOf(ready(await ensureCertificates(made, issuance(DATE))));
}

interface Phases {
  /** Fingerprints of the former CA, of the one that replaces it, and of the one after that. */
  readonly roots: readonly [string, string, string];
  readonly installed: SecretReads;
  readonly prepared: SecretReads;
  readonly switched: SecretReads;
  readonly overlapped: SecretReads;
  readonly completed: SecretReads;
  readonly rotationIn: (phase: Rotation['phase'], more?: Partial<Rotation>) => Rotation;
  /** Certificates of the CAs (PEM), by fingerprint. */
  readonly pems: ReadonlyMap<string, string>;
  /** A certificate (PEM) that each of the first two CAs has signed, by fingerprint. */
  readonly leaves: ReadonlyMap<string, string>;
}

/** Creates a control plane and rotates a CA. */
export async function rotatedSecrets(name: AuthorityName): Promise<Phases> {
  const factsOf = (reads: SecretReads): AuthorityFacts => {
    const facts = authorityFacts(INPUT, name, reads, DATE);
    if (facts === undefined) throw new Error('no CA');
    return facts;
  };
  const installed = readsOf(
    ready(await ensureCertificates(request({ inputs: INPUT }), issuance(DATE))),
  );
  const first = factsOf(installed);
  const [a, b] = [first.active.sha256, first.successor?.sha256 ?? ''];
  const rotationIn: Phases['rotationIn'] = (phase, more = {}) => ({
    ...{ authority: name, phase, from: a, to: b, since: NOW - 60 * MINUTE },
    ...more,
  });
  const prepared = await inPhase(rotationIn('Preparing'), installed);
  const switched = await inPhase(rotationIn('Switching'), prepared);
  const overlapped = await inPhase(rotationIn('Overlap'), switched);
  const c = factsOf(overlapped).successor?.sha256 ?? '';
  const completed = await inPhase(rotationIn('Completing', { next: c }), overlapped);
  const [pemA = '', pemB = ''] = certificateBlocks(decode(installed.cert, `${name}.crt`));
  const [, pemC = ''] = certificateBlocks(decode(completed.cert, `${name}.crt`));
  return {
    ...{ roots: [a, b, c], installed, prepared, switched, overlapped, completed, rotationIn },
    pems: new Map([
      [a, pemA],
      [b, pemB],
      [c, pemC],
    ]),
    leaves: new Map([
      [a, await leafBy(name, first, a)],
      [b, await leafBy(name, first, b)],
    ]),
  };
}

async function leafBy(name: AuthorityName, { pairs }: AuthorityFacts, root: string) {
  const pair = pairs.get(root);
  if (pair === undefined) throw new Error('no key');
  const { certificate } = await issueProbe(name, pair, issuance(DATE));
  return certificateBlocks(certificate)[0] ?? '';
}

/** The Secrets with other values; undefined takes one out. */
export const changed = (
  reads: SecretReads,
  role: 'cert' | 'ca-backup',
  values: Readonly<Record<string, string | undefined>>,
): SecretReads => {
  const entries = Object.entries({ ...(reads[role] as object), ...values });
  return {
    ...reads,
    [role]: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  };
};

interface Stored {
  readonly reads: SecretReads;
  readonly rotation: Rotation | undefined;
  /** Creation, wall clock in milliseconds; not known by default. */
  readonly createdAt?: number;
}

/** The Secrets as objects, with the record of the rotation. */
export const secretsIn = ({ reads, rotation, createdAt }: Stored): readonly KubernetesObject[] =>
  Object.entries(reads).flatMap(([role, data]) =>
    typeof data === 'string'
      ? []
      : {
          ...{ apiVersion: 'v1', kind: 'Secret', data },
          metadata: {
            ...{ name: `${NAME}-${role}`, namespace: 'team', uid: role, resourceVersion: '7' },
            labels: OWNED,
            ...(createdAt !== undefined && {
              creationTimestamp: new Date(createdAt).toISOString(),
            }),
            ...(role === 'ca-backup' &&
              rotation && { annotations: { [ROTATION_ANNOTATION]: recordOf(rotation) } }),
          },
        },
  );
