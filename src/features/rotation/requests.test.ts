import { describe, expect, it } from '@jest/globals';
import { A, B, rotationOf } from './__fixtures__/facts.ts';
import {
  ABORT_ANNOTATION,
  COMPLETE_ANNOTATION,
  confirmationOf,
  isExecuted,
  requestsIn,
  ROTATE_ANNOTATION,
} from './requests.ts';

describe('requestsIn', () => {
  it('reads the authorities in the order of their rotation, and what is recorded', () => {
    expect(requestsIn({ [ROTATE_ANNOTATION]: 'ca,etcd-ca/2026-11' })).toEqual({
      rotate: { authorities: ['etcd-ca', 'ca'], recorded: 'rotate=ca,etcd-ca/2026-11' },
      faults: [],
    });
  });

  it('reads confirmations with and without an ID', () => {
    const hash = A.slice(0, 16);
    expect(
      requestsIn({ [COMPLETE_ANNOTATION]: `ca/${hash}`, [ABORT_ANNOTATION]: `etcd-ca/${B}/2` }),
    ).toMatchObject({
      complete: { authority: 'ca', hash, recorded: `complete=ca/${hash}` },
      abort: { authority: 'etcd-ca', hash: B, recorded: `abort=etcd-ca/${B}/2` },
      faults: [],
    });
  });

  it('returns nothing for a value that names no CA and no key', () => {
    for (const value of ['leaves/1', 'apiserver,etcd-peer/1', 'constructor/1', ''])
      expect(requestsIn({ [ROTATE_ANNOTATION]: value })).toEqual({ faults: [] });
  });

  it('returns nothing without annotations', () => {
    expect(requestsIn(undefined)).toEqual({ faults: [] });
    expect(requestsIn({ other: 'ca/1' })).toEqual({ faults: [] });
  });

  it.each([
    [ROTATE_ANNOTATION, 'ca', 'the value is not names joined by commas'],
    [ROTATE_ANNOTATION, 'ca, etcd-ca/1', '" etcd-ca" is none of'],
    [ROTATE_ANNOTATION, 'ca,apiserver/1', 'request one after the other'],
    [ROTATE_ANNOTATION, `${'ca,'.repeat(90)}ca/1`, 'the value is too long'],
    [COMPLETE_ANNOTATION, 'true', 'does not start with one of'],
    [COMPLETE_ANNOTATION, 'ca', 'does not continue with "/" and the hash'],
    [COMPLETE_ANNOTATION, 'ca/abc', 'does not continue with "/" and the hash'],
    [ABORT_ANNOTATION, `ca/${A.toUpperCase()}`, 'does not continue with "/" and the hash'],
    [ABORT_ANNOTATION, `ca/${A}/1/2`, 'does not continue with "/" and the hash'],
  ])('rejects %s=%s with the annotation, the cause and what to do', (annotation, value, cause) => {
    const { faults, ...requests } = requestsIn({ [annotation]: value });
    expect(requests).toEqual({});
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(
      new RegExp(`^annotation ${annotation}: .*; correct the value, or take`),
    );
    expect(faults[0]).toContain(cause);
  });
});

describe('confirmationOf', () => {
  it('names the new root for an abort and the former one for a completion', () => {
    const record = { executed: [] };
    expect(confirmationOf('abort', rotationOf(), record)).toBe(
      `${ABORT_ANNOTATION}=ca/${'b'.repeat(16)}`,
    );
    expect(confirmationOf('complete', rotationOf(), record)).toBe(
      `${COMPLETE_ANNOTATION}=ca/${'a'.repeat(16)}`,
    );
  });

  it('returns a value that was not executed, which is read again', () => {
    const executed = new Array<string>();
    for (let count = 0; count < 4; count += 1) {
      const [annotation = '', value = ''] = confirmationOf('abort', rotationOf(), {
        executed,
      }).split('=');
      const { abort } = requestsIn({ [annotation]: value });
      expect(abort && isExecuted({ executed }, abort)).toBe(false);
      executed.push(abort?.recorded ?? '');
    }
    expect(new Set(executed).size).toBe(4);
  });
});
