import { describe, expect, it } from '@jest/globals';
import { collector } from '../informers/collector.fixture.ts';
import { flatText } from './flat-text.ts';

describe('flatText', () => {
  it.each(['', 'host:apps/Deployment/team/demo', 'ä€😀'])('changes no text: "%s"', (text) => {
    expect(flatText(text)).toBe(text);
  });

  it('keeps nothing of the text that a part belongs to', async () => {
    const collect = collector();
    const before = await collect();
    const parts = Array.from({ length: 10 }, (_, n) =>
      flatText(`${String(n)}${'x'.repeat(500_000)}`.slice(0, 50)),
    );
    expect((await collect()) - before).toBeLessThan(1_000_000);
    expect(parts).toHaveLength(10);
  });
});
