/**
 * Lint rule: a regular expression must not change its flags for a group, as in `(?-i:a)`. Node.js 22, which also runs the kubectl
 * plugin, rejects such an expression. V8 may match it wrongly without optimization, which it omits in a process with more than 1 MiB of
 * compiled expressions and 16 MiB of machine code. Then `/secret|e(?-i:x(?!y))/i` does not match `SECRET`, in Node.js 24.21.0 and 26.12.1.
 */
import type { Rule } from 'eslint';

const MODIFIERS = /\(\?(?:[ims]{1,3}|[ims]{0,3}-[ims]{1,3}):/;

/** Whether a pattern, or a part of one, has modifiers. */
export const hasModifiers = (text: string): boolean => MODIFIERS.test(text);

type Literal = Parameters<NonNullable<Rule.RuleListener['Literal']>>[0];

/** Text of a regular expression or a string. */
function textOf(node: Literal): string {
  if ('regex' in node) return node.regex.pattern;
  return typeof node.value === 'string' ? node.value : '';
}

export const patternModifiers: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      modifiers:
        'Modifiers of a group in a regular expression: Node.js 22 rejects them, and V8 may match them wrongly. Use anyCase of src/redact/secret-names.ts, or character classes.',
    },
  },
  create: (context) => {
    const check = (node: Rule.Node, text: string): void => {
      if (hasModifiers(text)) context.report({ node, messageId: 'modifiers' });
    };
    return {
      Literal: (node) => check(node, textOf(node)),
      TemplateElement: (node) => check(node, node.value.raw),
    };
  },
};
