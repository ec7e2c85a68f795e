import { describe, expect, it } from '@jest/globals';
import { statusPicture } from './status-picture.ts';
import { terminalPicture, wrapped } from './terminal-picture.ts';

const scene = { title: 'A title', command: 'run <it>', columns: 20 };

/** Texts of the rows, without elements. */
const rowsOf = (picture: string): string[] =>
  [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, row = '']) =>
    row.replaceAll(/<[^>]+>/g, ''),
  );

describe('terminalPicture', () => {
  it('shows the command and its output as text, with escaped characters', () => {
    const picture = terminalPicture({ ...scene, output: 'a & b\n└─ <c>\n' });
    expect(rowsOf(picture)).toEqual(['$ run &lt;it&gt;', 'a &amp; b', '└─ &lt;c&gt;']);
    expect(picture).toContain('<title id="title">A title</title>');
    expect(picture).toContain('<desc id="description">a &amp; b');
  });

  it.each([
    ['1', 'strong'],
    ['2', 'muted'],
    ['31', 'bad'],
    ['32', 'good'],
    ['33', 'warning'],
  ])('shows the style %s as class %s until it ends', (code, style) => {
    const picture = terminalPicture({ ...scene, output: `a \u001b[${code}mb\u001b[0m c` });
    expect(picture).toContain(`>a <tspan class="${style}">b</tspan> c</text>`);
    expect(picture).not.toContain('\u001b');
  });

  it('breaks a line after the last column and keeps its style', () => {
    const style = 'bad';
    expect(
      wrapped(
        [
          { text: 'abc', style: '' },
          { text: 'defg', style },
        ],
        5,
      ),
    ).toEqual([
      [
        { text: 'abc', style: '' },
        { text: 'de', style },
      ],
      [{ text: 'fg', style }],
    ]);
  });
});

describe('statusPicture', () => {
  it('shows state, components and what to do, and no other file is needed to show it', async () => {
    const picture = await statusPicture();
    const rows = rowsOf(picture).join('\n');
    expect(rows).toContain('$ kubectl karmada-operator status');
    expect(rows).toMatch(/├─ Components: \d+\/\d+ ready/);
    expect(rows).toContain('To do: ');
    expect(picture.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href|url\(/);
  });
});
