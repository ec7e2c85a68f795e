import { describe, expect, it } from '@jest/globals';

import { warningContent, warningsIn } from './warning-condition.ts';

const A = { reason: 'EphemeralEtcd', message: 'no volume: use one.' } as const;
const B = { reason: 'UnknownFlag', message: 'flag "a"; remove it.' } as const;

describe('warningContent', () => {
  it('returns nothing without warnings, and a single warning as it is', () => {
    expect(warningContent([])).toBeUndefined();
    expect(warningContent([A])).toEqual(A);
  });

  it('lists every warning with its reason, and each reason once', () => {
    const other = { ...B, message: 'flag "b"; remove it.' };
    expect(warningContent([A, B, other])).toEqual({
      reason: 'EphemeralEtcd,UnknownFlag',
      message: [
        'EphemeralEtcd: no volume: use one.',
        'UnknownFlag: flag "a"; remove it.',
        'UnknownFlag: flag "b"; remove it.',
      ].join('\n'),
    });
  });

  it('limits the message and says how many warnings are missing', () => {
    const many = Array.from({ length: 40 }, () => ({ ...A, message: 'x'.repeat(2_000) }));
    const { reason = '', message = '' } = warningContent(many) ?? {};
    expect(reason).toBe(A.reason);
    expect(message.length).toBeLessThan(8_300);
    expect(message.split('\n')).toHaveLength(8);
    expect(message).toMatch(/…\nThe message has no room for 33 more\.$/);
  });
});

describe('warningsIn', () => {
  it.each([[[A]], [[A, B]], [[A, { reason: A.reason, message: 'b' }]]])(
    'returns the warnings of the condition: %j',
    (warnings) => {
      expect(warningsIn(warningContent(warnings) ?? A)).toEqual(warnings);
    },
  );

  it('returns the condition itself when its message has another form', () => {
    const former = { reason: 'A', message: 'one warning. Another one.' } as const;
    expect(warningsIn(former)).toEqual([former]);
  });
});
