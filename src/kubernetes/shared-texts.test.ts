import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from './object.ts';
import { SharedTexts } from './shared-texts.ts';
import { collector } from './collector.fixture.ts';

const CA = 'Q'.repeat(100_000);

/** A configuration with some webhooks, as it is parsed. */
const parsed = (name: string, caBundle = CA): KubernetesObject =>
  JSON.parse(
    JSON.stringify({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [1, 2].map((id) => ({ id, clientConfig: { caBundle } })),
    }),
  ) as KubernetesObject;

describe('SharedTexts', () => {
  it('changes no value', () => {
    const texts = new SharedTexts();
    for (const object of [parsed('a'), parsed('b', 'short'), parsed('c', `${CA}x`), parsed('a')])
      expect(texts.share(structuredClone(object))).toEqual(object);
  });

  it('keeps a text once that many objects have', async () => {
    const collect = collector();
    const texts = new SharedTexts();
    const before = await collect();
    const objects = Array.from({ length: 50 }, (_, n) => texts.share(parsed(String(n))));
    expect((await collect()) - before).toBeLessThan(1_000_000);
    expect(objects).toHaveLength(50);
  });

  it('knows a bounded number of texts', () => {
    const texts = new SharedTexts();
    for (let n = 0; n < 100; n += 1) texts.share(parsed('a', `${CA}${String(n)}`));
    expect(texts.share(parsed('a', CA))).toEqual(parsed('a', CA));
  });
});
