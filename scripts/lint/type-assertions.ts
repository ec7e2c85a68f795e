/**
 * Lint rule: a type assertion (`value as Type`) is not checked, neither by the compiler nor at run time. The compiler knows more types
 * through a type guard, a generic parameter or a parser that returns a typed value (`src/untrusted/checks.ts`). The files that need an
 * assertion are in `assertions.ts` with their number. An assertion of an assertion, which converts anything, is never allowed.
 */
import type { Rule } from 'eslint';

const NOT_CONST = `TSAsExpression:not([typeAnnotation.typeName.name='const'])`;

export const typeAssertions: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [{ type: 'integer', minimum: 1 }],
    messages: {
      other:
        'The file has {{found}} type assertions, and scripts/lint/assertions.ts says {{count}}. Use a type guard, a generic parameter or a parser in place of a new one; after a removal, change the number.',
      double: 'An assertion of an assertion converts anything. Use a type guard.',
    },
  },
  create: (context) => {
    const [count = 0]: readonly number[] = context.options;
    const found: Rule.Node[] = [];
    return {
      [NOT_CONST]: (node: Rule.Node) => {
        found.push(node);
      },
      [`${NOT_CONST}[expression.type='TSAsExpression']`]: (node: Rule.Node) =>
        context.report({ node, messageId: 'double' }),
      'Program:exit': (program) => {
        if (found.length === count) return;
        const node = found[count] ?? program;
        const data = { found: String(found.length), count: String(count) };
        context.report({ node, messageId: 'other', data });
      },
    };
  },
};
