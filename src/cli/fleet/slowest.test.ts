import { describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../api/karmada.ts';
import { condition, failing, karmada, minutesAgo, rolling, upgrading } from './fleet.fixture.ts';
import { SLOWEST, slowestOf } from './slowest.ts';

describe('slowestOf', () => {
  it.each<[string, Karmada, object | undefined]>([
    ['is Ready', karmada('a'), undefined],
    ['waits for its operator rollout', rolling('a', 'Waiting'), undefined],
    [
      'is suspended',
      karmada('a', { phase: 'Suspended', conditions: [condition('Ready', 'False', 'Suspended')] }),
      undefined,
    ],
    [
      'is not Ready',
      failing('a', 7),
      {
        activity: 'NotReady',
        since: minutesAgo(7),
        reason: 'ImagePullFailed',
        message: 'Pod a: image not found',
      },
    ],
    [
      'has no status yet',
      { ...karmada('a'), status: {} },
      { activity: 'NotReady', phase: 'Pending', since: minutesAgo(600), reason: '', message: '' },
    ],
    [
      'rolls',
      rolling('a', 'Progressing', 7),
      { activity: 'OperatorRollout', since: minutesAgo(7), reason: 'Progressing' },
    ],
    [
      'is upgraded',
      upgrading('a', 'karmada-webhook', 7),
      { activity: 'Upgrade', step: 'karmada-webhook', since: minutesAgo(7) },
    ],
    [
      'is deleted',
      karmada('a', {}, { deletionTimestamp: minutesAgo(7) }),
      { activity: 'Deletion', since: minutesAgo(7), reason: 'AsExpected' },
    ],
  ])('judges a control plane that %s', (_, given, expected) => {
    const found = slowestOf([given]);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toMatchObject([{ namespace: 'team', name: 'a', ...expected }]);
  });

  it('names the activity that lasts longest', () => {
    const { status = {} } = rolling('a', 'Progressing', 5);
    const { upgrade } = upgrading('a', 'karmada-webhook', 9).status ?? {};
    const both = karmada('a', { ...status, ...(upgrade && { upgrade }) });
    expect(slowestOf([both])).toMatchObject([{ activity: 'Upgrade', since: minutesAgo(9) }]);
  });

  it('ignores a time that is not valid', () => {
    const upgrade = { step: 'karmada-webhook', startedAt: 'yesterday' };
    expect(slowestOf([karmada('a', { upgrade })])).toEqual([]);
  });

  it('lists the ten that last longest, the longest first', () => {
    const all = Array.from({ length: 25 }, (_, n) => failing(`k${String(n)}`, (n * 7) % 25));
    const found = slowestOf(all).map(({ since }) => since);
    expect(found).toEqual(Array.from({ length: SLOWEST }, (_, n) => minutesAgo(24 - n)));
  });
});
