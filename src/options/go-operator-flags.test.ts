import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseControllers, withDashes } from './go-operator-flags.ts';
import { OptionsError, parseOptions } from './options.ts';

function refusalOf(...args: string[]): string {
  try {
    parseOptions(args);
    return '';
  } catch (error) {
    if (error instanceof OptionsError) return error.message;
    throw error;
  }
}

describe('flags of the Go operator', () => {
  it.each([
    ['--controllers=*', '--controllers'],
    ['--controllers=karmada', '--controllers'],
    ['--controllers=-other,*', '--controllers'],
    ['--resync-period=0', '--resync-period'],
    ['--resync-period=10m', '--resync-period'],
    ['--leader-elect-resource-lock=leases', '--leader-elect-resource-lock'],
    ['--vmodule=controller*=6', '--vmodule'],
    ['--logtostderr', '--logtostderr'],
    ['--logtostderr=false', '--logtostderr'],
    ['--add_dir_header=true', '--add-dir-header'],
    ['--stderrthreshold=2', '--stderrthreshold'],
    ['--log-flush-frequency=5s', '--log-flush-frequency'],
  ])('accepts %s and names it as a flag without effect', (arg, flag) => {
    const { withoutEffect } = parseOptions([arg]);
    expect(withoutEffect).toEqual([{ flag, reason: expect.stringMatching(/\w+ \w+/) }]);
  });

  it('names none if none is set', () => {
    expect(parseOptions(['--v=4']).withoutEffect).toEqual([]);
  });

  it.each([
    ['--controllers=-karmada', 'scale its Deployment to 0 replicas'],
    ['--controllers=other', 'must enable karmada'],
    ['--controllers=*,-karmada', 'must enable karmada'],
    ['--controllers=', 'must enable karmada'],
    ['--leader-elect-resource-lock=endpoints', 'must be leases'],
    ['--resync-period=soon', '--resync-period'],
  ])('rejects %s', (arg, text) => {
    expect(refusalOf(arg)).toContain(text);
  });

  it.each([
    ['--kube-api-qps=40.5', { clientRate: { qps: 40.5 } }],
    ['--health-probe-bind-address=', { health: undefined }],
  ])('accepts the value of %s as the Go operator does', (arg, expected) => {
    expect(parseOptions([arg])).toMatchObject(expected);
  });
});

describe('parseControllers', () => {
  it('agrees with the rule of the Go operator: the first entry of the name, then the asterisk', () => {
    const entry = fc.constantFrom('*', 'karmada', '-karmada', 'other', '-other');
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const first = entries.find((one) => one === 'karmada' || one === '-karmada');
        const isEnabled = first === undefined ? entries.includes('*') : first === 'karmada';
        const text = entries.join(',');
        if (isEnabled) expect(parseControllers(text)).toBe(text);
        else expect(() => parseControllers(text)).toThrow('must enable karmada');
      }),
    );
  });
});

describe('withDashes', () => {
  it('changes names and keeps values', () => {
    expect(withDashes(['--log_dir=/a_b', '/c_d', '-v', '--x_y', 'a_b'])).toEqual([
      '--log-dir=/a_b',
      '/c_d',
      '-v',
      '--x-y',
      'a_b',
    ]);
  });
});
