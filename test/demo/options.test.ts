import { describe, expect, it } from '@jest/globals';
import { checkOptions, type DemoOptions } from './options.ts';

const none: DemoOptions = { remote: false, members: false, yes: false, down: false };
const kubeconfig = 'file';
const image = 'registry.example/operator:1';

describe('checkOptions', () => {
  it.each<Partial<DemoOptions>>([
    {},
    { remote: true },
    { members: true },
    { down: true },
    { remote: true, down: true },
    { kubeconfig, image },
    { kubeconfig, down: true },
  ])('accepts the options %j', (options) => {
    expect(() => checkOptions({ ...none, ...options })).not.toThrow();
  });

  it.each<[Partial<DemoOptions>, string]>([
    [
      { remote: true, kubeconfig },
      '--remote creates both clusters itself and cannot be combined with --kubeconfig',
    ],
    [{ remote: true, kubeconfig, image }, 'leave one of them out'],
    [{ remote: true, kubeconfig, down: true }, 'leave one of them out'],
    [{ image }, '--image requires --kubeconfig'],
    [{ remote: true, image }, '--image requires --kubeconfig'],
    [{ kubeconfig }, '--image REF'],
    [{ members: true, remote: true }, '--members only starts member clusters'],
    [{ members: true, down: true }, 'run the demo first'],
    [{ members: true, kubeconfig, image }, 'run the demo first'],
  ])('rejects the options %j', (options, text) => {
    expect(() => checkOptions({ ...none, ...options })).toThrow(text);
  });
});
