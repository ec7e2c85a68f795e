import { describe, expect, it } from '@jest/globals';
import { CATALOG } from '../../src/api/component-catalog.ts';
import { architecturePicture } from './architecture-picture.ts';

const picture = architecturePicture();
const shown = [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

describe('architecturePicture', () => {
  it('has colors for light and dark pages, a title and a description', () => {
    expect(picture).toContain('@media (prefers-color-scheme: dark)');
    expect(picture).toMatch(/<title id="title">.+<\/title>/);
    expect(picture).toMatch(/<desc id="description">.+<\/desc>/);
  });

  it('names every component of a control plane that is not an add-on', () => {
    const words = shown.join(' ').replaceAll('- ', '-');
    const names = CATALOG.filter(({ installed }) => installed === 'always').map(({ name }) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !words.includes(name))).toEqual([]);
  });
});
