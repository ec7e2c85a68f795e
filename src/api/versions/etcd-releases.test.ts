import { describe, expect, it } from '@jest/globals';
import { faultsOfEtcd } from './etcd-releases.ts';
import { DEFAULT_ETCD_TAG } from '../images.ts';

const REMOVED = 'can bring removed members back when upgraded to 3.6';
const STALE = 'can return stale data after its process was paused';
const REFUSED = 'accepts no new member while another member is down';

const DIGEST = `@sha256:${'a'.repeat(64)}`;

const FAULTY: readonly (readonly [string, string, readonly string[], string])[] = [
  ['3.4.30-0', '3.4.30', [REMOVED, STALE, REFUSED], '3.5.33'],
  ['3.5.25-0', '3.5.25', [REMOVED, STALE, REFUSED], '3.5.33'],
  ['3.5.26-0', '3.5.26', [STALE, REFUSED], '3.5.33'],
  ['3.5.28-0', '3.5.28', [REFUSED], '3.5.33'],
  ['3.6.0-rc.4-0', '3.6.0', [STALE, REFUSED], '3.6.14'],
  ['3.6.0-0', '3.6.0', [STALE, REFUSED], '3.6.14'],
  ['3.6.6-0', '3.6.6', [STALE, REFUSED], '3.6.14'],
  ['v3.6.8', '3.6.8', [STALE, REFUSED], '3.6.14'],
  [`3.6.9-0${DIGEST}`, '3.6.9', [REFUSED], '3.6.14'],
  ['3.6.10-debian-12-r1', '3.6.10', [REFUSED], '3.6.14'],
];

const OTHERS = [
  DEFAULT_ETCD_TAG,
  '3.5.30-0',
  '3.5.33-0',
  '3.5.35-0',
  '3.6.11-0',
  '3.6.14-0',
  '3.7.0-0',
  '4.0.0',
  'latest',
  '',
  '3.6',
  'sha256',
  DIGEST,
];

describe('faultsOfEtcd', () => {
  it.each(FAULTY)('returns the faults of %s', (tag, release, effects, recommended) => {
    expect(faultsOfEtcd(tag)).toEqual({ release, effects, recommended });
  });

  it.each(OTHERS)('returns nothing for %j', (tag) => {
    expect(faultsOfEtcd(tag)).toBeUndefined();
  });

  it('recommends a release without faults', () => {
    const recommended = FAULTY.map(([tag]) => faultsOfEtcd(tag)?.recommended ?? '');
    expect(recommended.map(faultsOfEtcd)).toEqual(FAULTY.map(() => undefined));
  });
});
