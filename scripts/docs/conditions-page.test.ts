import { describe, expect, it } from '@jest/globals';
import { CONDITION_REASONS } from '../../src/api/reasons/condition-reasons.ts';
import { classOf } from '../../src/api/reasons/fault.ts';
import { conditionsPages } from './conditions-page.ts';
import { referencePages } from './pages.ts';

const pages = conditionsPages();
const { 'conditions/README': overview = '', ...groups } = pages;

/** Reasons with a heading on a page, in order. */
const reasonsOf = (text: string): string[] =>
  [...text.matchAll(/^### (\w+)$/gm)].map(([, reason = '']) => reason);

const normal = new Set<string>(
  CONDITION_REASONS.filter(({ fault }) => classOf(fault) === undefined).map(({ reason }) => reason),
);

describe('conditionsPages', () => {
  it('have a heading for each reason, on one page', () => {
    const all = Object.values(groups).flatMap(reasonsOf);
    expect(all.sort()).toEqual(CONDITION_REASONS.map(({ reason }) => reason).sort());
  });

  it.each(Object.entries(groups))('have reasons of normal states last: %s', (_, text) => {
    const faults = reasonsOf(text).map((reason) => !normal.has(reason));
    expect(faults.lastIndexOf(true)).toBe(faults.filter(Boolean).length - 1);
  });

  it('are named with their reasons on the overview', () => {
    for (const [name, text] of Object.entries(groups)) {
      expect(overview).toContain(`](${name.replace('conditions/', '')}.md)`);
      for (const reason of reasonsOf(text)) expect(overview).toContain(`\`${reason}\``);
    }
  });

  it('are short and have no long lines', async () => {
    const written = Object.entries(await referencePages()).filter(([path]) =>
      path.includes('/conditions/'),
    );
    expect(written).toHaveLength(Object.keys(pages).length);
    const lines = written.flatMap(([, text]) => text.split('\n'));
    expect(lines.filter((line) => line.length > 200)).toEqual([]);
    const long = written.filter(([, text]) => text.length > 20_000);
    expect(long.map(([path, text]) => `${path}: ${String(text.length)}`)).toEqual([]);
  });
});
