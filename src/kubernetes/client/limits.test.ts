import { describe, expect, it } from '@jest/globals';
import {
  CONTROL_PLANE_LIMITS,
  HOST_LIMITS,
  MEMBER_LIMITS,
  OPERATOR_LIMITS,
  type Limits,
} from './limits.ts';

const MIB = 1_048_576;

describe('limits of API servers', () => {
  it.each<[string, Limits]>([
    ['the management cluster', OPERATOR_LIMITS],
    ['a host cluster', HOST_LIMITS],
    ['a control plane', CONTROL_PLANE_LIMITS],
    ['a member cluster', MEMBER_LIMITS],
  ])('keep at most 8 MiB of a list of %s that is not reduced', (_, { list, unreduced = list }) => {
    expect(unreduced).toBeLessThanOrEqual(8 * MIB);
  });

  it('leave room for the responses of 8 member clusters of each of a hundred control planes', () => {
    expect(MEMBER_LIMITS.answer * 8 * 100).toBeLessThanOrEqual(200 * MIB);
  });
});
