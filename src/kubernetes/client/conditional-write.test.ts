import { describe, expect, it } from '@jest/globals';
import { isWritten } from './conditional-write.ts';
import { ApiError } from './errors.ts';

const failure = (code: number): Error =>
  Object.assign(Object.create(ApiError.prototype) as ApiError, { code });

describe('isWritten', () => {
  it('is true after the write', async () => {
    expect(await isWritten(Promise.resolve({}))).toBe(true);
  });

  it.each([404, 409])('is false when the precondition is not met (%i)', async (code) => {
    expect(await isWritten(Promise.reject(failure(code)))).toBe(false);
  });

  it.each([failure(403), failure(500), new Error('cut')])('throws %s', async (error) => {
    await expect(isWritten(Promise.reject(error))).rejects.toBe(error);
  });
});
