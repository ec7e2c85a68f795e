import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { CertificatesMemo } from '../../instance/instance-cache.ts';
import { VIEW } from '../../instance/__fixtures__/instance.ts';
import { CACHE_GRACE_MS, confirmSecrets, observeCertificates } from './observe-certificates.ts';

const INPUTS = { name: 'karmada-demo' } as PkiInputs;
const WRITTEN_AT = 10_000;

const memoOf = (): CertificatesMemo => ({
  view: { ...VIEW, checkAt: 1_000_000 },
  inputs: JSON.stringify(INPUTS),
  secrets: new Map<string, Readonly<Record<string, string>>>([
    ['cert', { 'tls.crt': 'hash-1' }],
    ['admin-config', { 'karmada.config': 'hash-2' }],
  ]),
  writtenAt: WRITTEN_AT,
  versions: new Map([
    ['cert', '20'],
    ['admin-config', '21'],
  ]),
  paused: new Set(),
  awaited: new Set(['admin-config']),
});

const secret = (name: string, resourceVersion: string, data: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, resourceVersion },
  data,
});
const CERT = secret('cert', '20', { 'tls.crt': 'hash-1' });
const CERT_BEFORE = secret('cert', '9', { 'tls.crt': 'hash-0' });
const CERT_EDITED = secret('cert', '22', { 'tls.crt': 'other' });
const CONFIG = secret('admin-config', '21', { 'karmada.config': 'hash-2' });
const EDITED = secret('admin-config', '23', { 'karmada.config': 'other' });

/** Observes the Secrets at a time after the write, once for each list. @returns the last result */
function observed(afterMs: number, ...caches: (readonly KubernetesObject[])[]): string {
  const memo = memoOf();
  const results = caches.map((secrets) => {
    confirmSecrets(memo, secrets);
    const seen = { secrets, now: 0, monotonic: WRITTEN_AT + afterMs };
    const found = observeCertificates(memo, INPUTS, seen);
    return found.state === 'due' ? found.reason : found.state;
  });
  return results.at(-1) ?? '';
}

describe('observeCertificates', () => {
  it.each<[string, number, (readonly KubernetesObject[])[], string]>([
    ['keeps certificates whose Secrets are as written', 0, [[CERT, CONFIG]], 'valid'],
    ['waits for the cache directly after a write', CACHE_GRACE_MS - 1, [[CERT]], 'valid'],
    [
      'reads a Secret that the cache does not contain in time',
      CACHE_GRACE_MS,
      [[CERT]],
      'Secret admin-config: missing or changed',
    ],
    [
      'reads a Secret that was deleted directly after the cache contained it',
      100,
      [[CERT, CONFIG], [CERT]],
      'Secret admin-config: missing or changed',
    ],
    [
      'reads a Secret that was edited directly after the cache contained it',
      100,
      [
        [CERT, CONFIG],
        [CERT, EDITED],
      ],
      'Secret admin-config: missing or changed',
    ],
    ['waits for another Secret of the same write', 100, [[CERT], [CERT]], 'valid'],
    ['waits for the next version of a changed Secret', 100, [[CERT_BEFORE, CONFIG]], 'valid'],
    [
      'reads a Secret that was edited before the cache contained the write',
      1,
      [[CERT_EDITED]],
      'Secret cert: missing or changed',
    ],
    [
      'reads a Secret that was deleted before the cache contained the write of another one',
      1,
      [[CONFIG]],
      'Secret cert: missing or changed',
    ],
    [
      'reads a created Secret that was edited before the cache contained it as written',
      1,
      [[CERT, EDITED]],
      'Secret admin-config: missing or changed',
    ],
  ])('%s', (_, afterMs, caches, expected) => {
    expect(observed(afterMs, ...caches)).toBe(expected);
  });

  it('reads a Secret that is no longer paused, because its certificate may be due', () => {
    const memo = { ...memoOf(), paused: new Set(['cert']) };
    const seen = { now: 0, monotonic: WRITTEN_AT + CACHE_GRACE_MS };
    const annotations = { 'operator.karmada.io/pause-repair': 'true' };
    const paused = { ...CERT, metadata: { ...CERT.metadata, annotations } };
    const stateOf = (...secrets: readonly KubernetesObject[]): string =>
      observeCertificates(memo, INPUTS, { ...seen, secrets }).state;
    expect(stateOf(paused, CONFIG)).toBe('valid');
    expect(stateOf(CERT, CONFIG)).toBe('due');
  });
});
