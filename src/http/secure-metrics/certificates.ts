/** Serving certificate of the metrics endpoint: from files, or self-signed in memory. */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Log } from '../../kubernetes/time/clock.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import type { ServingPair } from '../endpoints.ts';
import { makeKey } from '../../pki/keys.ts';
import { selfSigned, signedBy } from '../../pki/x509.ts';

/** Files of the pair. Tools such as cert-manager replace them when they renew the certificate. */
export interface PairFiles {
  readonly directory: string;
  readonly certificate: string;
  readonly key: string;
}

/** Validity of a self-signed certificate. It is renewed after two thirds. */
const DAYS = 90;
const DAY_MS = 86_400_000;
/** Interval at which files and the expiry are checked, in milliseconds. */
const CHECK_MS = 60_000;

/** Reads the pair. @throws Error without the content of a file if one is missing or they do not match */
async function readPair({ directory, certificate, key }: PairFiles): Promise<ServingPair> {
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
  const pair = { cert: await read(certificate), key: await read(key) };
  assertMatch(pair, join(directory, certificate));
  return pair;
}

function assertMatch({ cert, key }: ServingPair, path: string): void {
  let matches = false;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    // The message of OpenSSL adds nothing, and may quote the file.
  }
  if (!matches) throw new Error(`${path}: no certificate, or its key does not match`);
}

/** Issues a pair that no client can verify, as controller-runtime does. @param names DNS names of the server */
export async function issuePair(names: readonly string[], now: number): Promise<ServingPair> {
  const context = { now: new Date(now), random: (count: number) => randomBytes(count) };
  const authority = await selfSigned(
    'karmada-operator-metrics-ca',
    await makeKey('ec-p256'),
    context,
  );
  const certified = {
    subject: { commonName: 'karmada-operator-metrics' },
    validityDays: DAYS,
    leaf: { usages: ['serverAuth'], dns: names, ips: [] },
  } as const;
  const pair = await signedBy(authority, certified, await makeKey('ec-p256'), context);
  return { cert: `${pair.certificate}${authority.certificate}`, key: pair.key };
}

/** Whether two thirds of the validity period have passed. @param now wall clock in milliseconds */
function isDue(cert: string, now: number): boolean {
  const { validToDate } = new X509Certificate(cert);
  return validToDate.getTime() - now < (DAYS * DAY_MS) / 3;
}

export interface RenewalOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Files to read; self-signed without. */
  readonly files?: PairFiles;
  readonly names: readonly string[];
}

/**
 * Provides the current pair, and calls `use` with each later one. A failed renewal keeps the current pair.
 * @returns the first pair, and a function that ends the checks
 * @throws Error if the files cannot be used at the start
 */
export async function servingPair(
  { clock, log, files, names }: RenewalOptions,
  use: (pair: ServingPair) => void,
): Promise<{ readonly pair: ServingPair; readonly stop: () => void }> {
  const load = (): Promise<ServingPair> =>
    files === undefined ? issuePair(names, clock.wall()) : readPair(files);
  const pair = await load();
  let current = pair;
  let cancel: () => void = () => undefined;
  const check = async (): Promise<void> => {
    try {
      const next =
        files === undefined && !isDue(current.cert, clock.wall()) ? current : await load();
      if (next.cert !== current.cert || next.key !== current.key) use((current = next));
    } catch (error) {
      log.warn(
        { error: errorText(error) },
        'metrics certificate not renewed, keeping the current one',
      );
    }
    plan();
  };
  const plan = (): void => {
    cancel = clock.after(CHECK_MS, () => void check());
  };
  plan();
  return { pair, stop: () => cancel() };
}
