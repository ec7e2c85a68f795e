/** Observes one CA: its Secrets, and what its Pods show. */
import type { Action } from '../../actions/action.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { secretValues } from '../../host-clusters/parse-credentials.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { authorityFacts, type AuthorityFacts as Stored } from '../../pki/authority-facts.ts';
import type { CustomCA } from '../../pki/custom-ca.ts';
import { wantedAuthorities } from '../../pki/inventory.ts';
import { secretRoles } from '../../pki/secrets-read.ts';
import type { AuthorityName, PkiInputs, SecretData, SecretReads } from '../../pki/types.ts';
import { askPods, type AskingTools } from './ask-pods.ts';
import { caAuthority } from './ca-facts.ts';
import { customFacts } from './custom-facts.ts';
import type { AuthorityFacts, CustomFacts } from './facts.ts';
import { textsIn } from './key-facts.ts';
import type { ControlPlaneFacts } from './read-control-plane.ts';
import type { LiveObjects } from './read-live.ts';
import type { Rotation } from './record.ts';
import { requestActions, signedRequestOf } from './signed-request.ts';

/** What is known of one authority. */
export interface ObservedAuthority {
  /** Absent if the control plane does not have it. */
  readonly facts?: AuthorityFacts;
  /** See `ObservedRotation`. */
  readonly lacksAccount?: true;
  /** What is to be done for the certificate request. */
  readonly requests?: readonly Action[];
}

/** What was read for one CA. */
interface Reading {
  readonly name: AuthorityName;
  readonly live: LiveObjects;
  readonly rotation: Rotation | undefined;
  /** Whether Pods are asked. */
  readonly asks: boolean;
  /** What the control plane shows; absent if it is not asked. */
  readonly inside?: ControlPlaneFacts | undefined;
  /** See `AuthorityFacts`. */
  readonly agents?: readonly string[] | undefined;
  /** Reads the Secret of the custom CA. */
  readonly readCustom: () => Promise<CustomCA | undefined>;
}

/**
 * Observes a CA.
 * @returns no facts if the control plane does not have it; undefined if a Secret has no readable CA
 */
export async function observeCa(
  tools: AskingTools,
  inputs: PkiInputs,
  reading: Reading,
): Promise<ObservedAuthority | undefined> {
  const { name, live, rotation, asks, inside, agents } = reading;
  if (wantedAuthorities(inputs).every((one) => one.name !== name)) return {};
  const stored = authorityFacts(inputs, name, readsOf(inputs, live), new Date(tools.clock.wall()));
  if (stored === undefined) return undefined;
  const cert = live.secrets.get(instanceName(inputs.name, SECRET_SUFFIX.cert));
  const values: Readonly<Record<string, string>> = cert === undefined ? {} : secretValues(cert);
  // Servers have certificates of `ca`, besides etcd.
  const ca = values[name === 'etcd-ca' ? 'etcd-ca.crt' : 'ca.crt'] ?? '';
  const shown =
    asks && rotation !== undefined
      ? await askPods(tools, { name, inputs, stored, rotation, ca }, live.pods)
      : new Map<string, never>();
  const custom = await customOf(tools, { inputs, stored, ...reading });
  const seen = {
    ...{ karmada: inputs.name, name, stored, shown, ...live },
    ...optionalField('agents', agents),
    ...optionalField('custom', custom),
  };
  if (rotation === undefined || inside === undefined) return { facts: caAuthority(seen) };
  const asked = { rotation, seen: inside.request, pairs: stored.pairs };
  const signedRequest = signedRequestOf(asked);
  const { objects } = inside;
  return {
    facts: caAuthority({
      ...seen,
      inside: { objects, ...optionalField('signedRequest', signedRequest) },
    }),
    requests: requestActions(asked, tools.clock.wall()),
  };
}

type CustomReading = Pick<Reading, 'name' | 'rotation' | 'readCustom'> & {
  readonly inputs: PkiInputs;
  readonly stored: Stored;
};

/** @throws ApiError, NetworkError */
async function customOf(
  { clock }: Pick<AskingTools, 'clock'>,
  { name, rotation, readCustom, inputs, stored }: CustomReading,
): Promise<CustomFacts | undefined> {
  const isCustom = inputs.customAuthority || rotation?.custom === true;
  if (name !== 'ca' || !isCustom) return undefined;
  return customFacts(await readCustom(), stored, { inputs, now: new Date(clock.wall()) });
}

/** Values of the Secrets of the certificates. */
export const readsOf = (inputs: PkiInputs, { secrets }: LiveObjects): SecretReads =>
  Object.fromEntries(
    secretRoles(inputs).flatMap((role): readonly (readonly [string, SecretData])[] => {
      const secret = secrets.get(instanceName(inputs.name, role));
      return secret === undefined ? [] : [[role, textsIn(secret)]];
    }),
  );
