import { describe, expect, it } from '@jest/globals';
import { ensureCertificates } from '../../pki/ensure.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import {
  decode,
  INPUTS,
  issuance,
  NOW,
  ready,
  readsOf,
  request,
} from '../../pki/fixture.test-data.ts';
import { PEM_BLOCKS } from '../../untrusted/limits.ts';
import { SHARED_TRUST, sharedRoots, withoutRoot } from './shared-trust.ts';

const READS = readsOf(ready(await ensureCertificates(request(), issuance())));
const BUNDLE = decode(READS.cert, 'front-proxy-ca.crt');
const FACTS = authorityFacts(INPUTS, 'front-proxy-ca', READS, NOW);
const [A, B] = [FACTS?.active.sha256 ?? '', FACTS?.successor?.sha256 ?? ''];
const CHANGED = '2026-11-28T10:00:00Z';

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ...SHARED_TRUST,
    managedFields: [{ time: '2026-11-28T09:00:00Z' }, { time: CHANGED }],
  },
  data: { 'requestheader-client-ca-file': BUNDLE, 'requestheader-allowed-names': '["x"]' },
};

describe('sharedRoots', () => {
  const named = { name: 'ConfigMap extension-apiserver-authentication', kind: 'shared' };

  it('returns the CAs, and the time of the last change', () => {
    expect(sharedRoots({ configMap, observedAt: 5 }, 'front-proxy-ca')).toEqual([
      { ...named, roots: [A, B], observedAt: 5, changedAt: Date.parse(CHANGED) },
    ]);
  });

  it.each<[string, Parameters<typeof sharedRoots>[0], number]>([
    ['was not read', undefined, -Infinity],
    ['does not exist', { observedAt: 5 }, 5],
  ])('proves nothing when the ConfigMap %s', (_, shared, observedAt) => {
    expect(sharedRoots(shared, 'front-proxy-ca')).toEqual([{ ...named, roots: [], observedAt }]);
  });

  it('proves nothing with a bundle above the limits, of which no CA was read', () => {
    const key = 'requestheader-client-ca-file';
    const data = { [key]: BUNDLE.repeat(PEM_BLOCKS / 2 + 1) };
    const [found] = sharedRoots(
      { configMap: { ...configMap, data }, observedAt: 5 },
      'front-proxy-ca',
    );
    expect(found).toMatchObject({ roots: [], observedAt: -Infinity });
  });

  it('knows no time of a change without valid ones', () => {
    const metadata = { ...configMap.metadata, managedFields: [{ time: CHANGED }, {}] };
    const [found] = sharedRoots(
      { configMap: { ...configMap, metadata }, observedAt: 5 },
      'front-proxy-ca',
    );
    expect(found?.changedAt).toBeUndefined();
  });

  it('returns nothing for a CA that the ConfigMap does not contain', () => {
    expect(sharedRoots({ configMap, observedAt: 5 }, 'etcd-ca')).toEqual([]);
  });
});

describe('withoutRoot', () => {
  it('takes out one CA and keeps all else', () => {
    const data = { ...configMap.data, ...withoutRoot(configMap, 'front-proxy-ca', A) };
    const left = { ...configMap, data };
    expect(sharedRoots({ configMap: left, observedAt: 0 }, 'front-proxy-ca')).toMatchObject([
      { roots: [B] },
    ]);
    expect(data['requestheader-allowed-names']).toBe('["x"]');
  });
});
