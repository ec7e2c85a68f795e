import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PEM_BLOCKS, UNTRUSTED } from './limits.ts';
import { certificateBlocks, pemBlocks, pemFault } from './pem.ts';

const block = (label: string, body = 'MA=='): string =>
  `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;

const labels = (text: string): readonly string[] => pemBlocks(text).map(({ label }) => label);

describe('pemBlocks', () => {
  it('returns each block with its label and its place', () => {
    const text = `# CA\n${block('CERTIFICATE')}\r\nother\n${block('RSA PRIVATE KEY')}`;
    const found = pemBlocks(text);
    expect(found.map(({ label }) => label)).toEqual(['CERTIFICATE', 'RSA PRIVATE KEY']);
    expect(found[0]?.text).toBe(`${block('CERTIFICATE')}\n`);
    for (const { text: whole, start, end } of found)
      expect(`${text.slice(start, end)}\n`).toBe(whole);
  });

  it.each<[string, string, readonly string[]]>([
    ['a block without its end', `-----BEGIN A-----\nMA==\n${block('B')}`, ['B']],
    ['a beginning without hyphens', `-----BEGIN A\n${block('B')}`, ['B']],
    ['the end of another block', `-----BEGIN A-----\nMA==\n-----END B-----\n${block('C')}`, ['C']],
    ['a label with a line break', `-----BEGIN A\nB-----\n-----END A\nB-----\n${block('C')}`, ['C']],
    ['a long label', block('A'.repeat(65)), []],
    ['text that only begins', '-----BEGIN A'.repeat(100), []],
  ])('ignores %s', (_, text, expected) => {
    expect(labels(text)).toEqual(expected);
  });

  it('keeps the headers of a block', () => {
    const key = block('EC PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMA==');
    expect(pemBlocks(key)[0]?.text).toBe(`${key}\n`);
  });

  it('finds all blocks between texts without hyphens', () => {
    const other = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '-', 'BEGIN ', 'END ') });
    const texts = fc.array(
      other.filter((text) => !text.includes('-----')),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.map((part) => `${part}\n${block('CERTIFICATE')}`).join('\n');
        expect(certificateBlocks(text)).toHaveLength(parts.length);
      }),
    );
  });
});

describe('pemFault', () => {
  it.each([
    ['no block', '', undefined],
    ['the most blocks', block('A', '').repeat(PEM_BLOCKS), undefined],
    ['one block more', block('A', '').repeat(PEM_BLOCKS + 1), 'has more than 500 PEM blocks'],
    ['the longest text', ' '.repeat(UNTRUSTED.pem), undefined],
    ['a longer text', ' '.repeat(UNTRUSTED.pem + 1), 'has more than 256 KiB'],
  ])('says what a text with %s exceeds', (_, text, fault) => {
    expect(pemFault(text)).toBe(fault);
    if (fault !== undefined) expect(pemBlocks(text)).toEqual([]);
  });
});
