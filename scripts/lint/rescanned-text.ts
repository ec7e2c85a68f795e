/**
 * Lint rule: a regular expression must not scan the same text again from each repetition of its own beginning. An example is
 * `/BEGIN[^]*?END/` on a text that repeats BEGIN. `regexp/no-super-linear-move` reports only quantifiers at the beginning.
 */
import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import type { Rule } from 'eslint';
import { toUnicodeSet, type ReadonlyFlags } from 'regexp-ast-analysis';

type CharSet = ReturnType<typeof toUnicodeSet>;

export const rescannedText: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      rescan:
        'A text that repeats what is before {{quantifier}} is scanned again from each repetition: its time is quadratic. Use indexOf, or anchor or bound the pattern.',
    },
  },
  create: (context) => ({
    Literal: (node) => {
      if (!('regex' in node)) return;
      for (const quantifier of rescans(node.regex.pattern, node.regex.flags))
        context.report({ node, messageId: 'rescan', data: { quantifier } });
    },
  }),
};

/** Returns the text of the quantifiers at fault. */
export function rescans(pattern: string, flags: string): readonly string[] {
  if (flags.includes('y')) return [];
  const { ast, set } = parse(pattern, flags);
  const found: string[] = [];
  visitRegExpAST(ast, {
    onQuantifierEnter: (quantifier) => {
      if (isRescan(quantifier, set)) found.push(quantifier.raw);
    },
  });
  return found;
}

function parse(pattern: string, text: string): { ast: AST.Pattern; set: ReadonlyFlags } {
  const parser = new RegExpParser();
  const flags = parser.parseFlags(text);
  const mode = { unicode: flags.unicode, unicodeSets: flags.unicodeSets };
  return { ast: parser.parsePattern(pattern, 0, pattern.length, mode), set: flags };
}

function isRescan(quantifier: AST.Quantifier, flags: ReadonlyFlags): boolean {
  if (quantifier.max !== Infinity) return false;
  const { before, after } = around(quantifier);
  const scanned = charsOf(quantifier.element, flags);
  const isTotal = scanned.some(({ chars }) => chars.isAll);
  if (before.length === 0 || isAnchored(before, flags)) return false;
  if (!after.some((element) => canFail(element, isTotal))) return false;
  const needed = before.filter((element) => isNeeded(element));
  // Without a mandatory beginning the pattern starts with a quantifier, which another rule checks.
  return (
    needed.length > 0 &&
    needed.every((element) =>
      charsOf(element, flags).some((chars) =>
        scanned.some((other) => !chars.isDisjointWith(other)),
      ),
    )
  );
}

/** Elements before and after a quantifier, also outside of the groups around it. */
function around(start: AST.Quantifier): { before: AST.Element[]; after: AST.Element[] } {
  const [before, after]: [AST.Element[], AST.Element[]] = [[], []];
  for (let node: AST.Node = start; node.parent !== null && node.parent !== undefined;) {
    const parent: AST.Node = node.parent;
    if (parent.type === 'Alternative') {
      const current = node;
      const at = parent.elements.findIndex((element) => element === current);
      before.unshift(...parent.elements.slice(0, at));
      after.push(...parent.elements.slice(at + 1));
    }
    node = parent;
  }
  return { before, after };
}

const isAnchored = (before: readonly AST.Element[], { multiline }: ReadonlyFlags): boolean =>
  multiline !== true &&
  before.some((element) => element.type === 'Assertion' && element.kind === 'start');

/** Whether an element may not match where a scan ends. @param isTotal whether the scan ends only at the end of the text */
function canFail(element: AST.Element, isTotal: boolean): boolean {
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    return element.alternatives.every(({ elements }) =>
      elements.some((one) => canFail(one, isTotal)),
    );
  if (element.type === 'Assertion') return element.kind !== 'end' || !isTotal;
  return element.type !== 'Quantifier' || element.min > 0;
}

const isNeeded = (element: AST.Element): boolean =>
  element.type !== 'Assertion' && (element.type !== 'Quantifier' || element.min > 0);

/** Character sets of all characters that an element may consume. */
function charsOf(element: AST.Element, flags: ReadonlyFlags): readonly CharSet[] {
  if (element.type === 'Quantifier') return charsOf(element.element, flags);
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    return element.alternatives.flatMap(({ elements }) =>
      elements.flatMap((one) => charsOf(one, flags)),
    );
  if (element.type === 'Assertion' || element.type === 'Backreference') return [];
  return [toUnicodeSet(element, flags)];
}
