import { describe, expect, it } from '@jest/globals';
import { checkOptions, type DemoOptions } from './options.ts';

const none: DemoOptions = { remote: false, yes: false, down: false };
const kubeconfig = 'file';
const image = 'registry.example/operator:1';

describe("the demo's options", () => {
  it.each<Partial<DemoOptions>>([
    {},
    { remote: true },
    { down: true },
    { remote: true, down: true },
    { kubeconfig, image },
    { kubeconfig, down: true },
  ])('%j go together', (options) => {
    expect(() => checkOptions({ ...none, ...options })).not.toThrow();
  });

  it.each<[Partial<DemoOptions>, string]>([
    [
      { remote: true, kubeconfig },
      '--remote makes both of its clusters itself and does not go with --kubeconfig',
    ],
    [{ remote: true, kubeconfig, image }, 'leave one of them out'],
    [{ remote: true, kubeconfig, down: true }, 'leave one of them out'],
    [{ image }, '--image is for --kubeconfig'],
    [{ remote: true, image }, '--image is for --kubeconfig'],
    [{ kubeconfig }, '--image REF'],
  ])('%j are refused', (options, text) => {
    expect(() => checkOptions({ ...none, ...options })).toThrow(text);
  });
});
