import { describe, expect, it } from '@jest/globals';
import { commentsOf, literalsOf, proseOf } from './texts.ts';

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe('proseOf', () => {
  it('returns text and link titles without code, targets and comments', () => {
    const markdown = [
      '# Title',
      'Set `a b` in [the page](./x-y.md).',
      '```sh',
      'kubectl get',
      '```',
      '<!-- comment -->',
      'End.',
    ].join('\n');
    expect(words(proseOf(markdown))).toBe('# Title Set in [the page] . End.');
  });

  it('keeps offsets and lines', () => {
    const markdown = 'a `b`\n```\nc\n```\nd';
    expect(proseOf(markdown)).toHaveLength(markdown.length);
    expect(proseOf(markdown).split('\n')).toHaveLength(5);
  });
});

describe('commentsOf', () => {
  it('joins comment lines without their marks and leaves out values', () => {
    const yaml = 'a: 1\n# One comment\n  # of two lines, see `x`.\nb: # value\n';
    expect(words(commentsOf(yaml))).toBe('One comment of two lines, see .');
  });
});

describe('literalsOf', () => {
  it('returns strings and templates with a space, without comments and expressions', () => {
    const source = [
      `import { a } from './a b.ts';`,
      '/** A comment. */',
      `const one = 'two words', two = 'word';`,
      'const three = `${one} is wrong (${two}); do this`;',
    ].join('\n');
    expect(words(literalsOf(source))).toBe("'two words' } is wrong (${ }); do this`");
  });
});
