/**
 * Finds the reasons of conditions and Events in source files, by syntax alone, because a type check takes seconds.
 * A reason is the value of a property `reason`, or an argument for a parameter `reason`.
 */
import ts from 'typescript';

interface SourceText {
  /** Path for messages, and the identity of the file. */
  readonly file: string;
  readonly text: string;
}

interface FoundReasons {
  /** Reason to `file:line` of one place that has it. */
  readonly literals: ReadonlyMap<string, string>;
  /** `Blocked` of a template such as `${problem.reason}Blocked`. */
  readonly suffixes: ReadonlySet<string>;
}

/** What the names of one file stand for. */
interface Names {
  readonly constants: Map<string, ts.Expression>;
  /** Position of the parameter `reason`, by the name of a function or class. */
  readonly positions: Map<string, number>;
  readonly imported: Set<string>;
}

type Index = ReadonlyMap<ts.SourceFile, Names>;

interface Found {
  readonly literals: Map<string, string>;
  readonly suffixes: Set<string>;
}

/** Other values of properties with this name are sentences or codes. */
const REASON = /^[A-Z][A-Za-z]+$/;

/** Names lead to other names only a few times; a cycle ends here. */
const MAX_DEPTH = 5;

/**
 * Finds all reasons.
 * @param sources all files, so that imported constants and functions are known
 */
export function reasonsIn(sources: readonly SourceText[]): FoundReasons {
  const files = sources.map(({ file, text }) =>
    ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true),
  );
  const index: Index = new Map(files.map((file) => [file, namesOf(file)]));
  const found: Found = { literals: new Map(), suffixes: new Set() };
  for (const file of files) {
    const visit = (node: ts.Node): void => {
      const scope = { file, index, depth: 0 };
      for (const value of reasonValues(node, scope)) collect(value, scope, found);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

function namesOf(file: ts.SourceFile): Names {
  const names: Names = { constants: new Map(), positions: new Map(), imported: new Set() };
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node)) names.imported.add(node.name.text);
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      names.constants.set(node.name.text, node.initializer);
    noteParameters(node, names);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** Notes a function, or a class by its constructor, that has a parameter `reason`. */
function noteParameters(node: ts.Node, { positions }: Names): void {
  if (!ts.isFunctionLike(node)) return;
  const at = node.parameters.findIndex(({ name }) => isReason(name));
  const named = ts.isFunctionDeclaration(node) ? node : node.parent;
  if (at < 0 || !(ts.isFunctionDeclaration(named) || isNamedDeclaration(named))) return;
  if (named.name !== undefined) positions.set(named.name.getText(), at);
}

const isNamedDeclaration = (node: ts.Node): node is ts.VariableDeclaration | ts.ClassDeclaration =>
  ts.isVariableDeclaration(node) || ts.isClassDeclaration(node);

/** Expressions of a node that are reasons. */
function reasonValues(node: ts.Node, scope: Scope): readonly ts.Expression[] {
  if (ts.isPropertyAssignment(node)) return isReason(node.name) ? [node.initializer] : [];
  if (ts.isShorthandPropertyAssignment(node)) return isReason(node.name) ? [node.name] : [];
  return ts.isCallExpression(node) || ts.isNewExpression(node) ? argumentOf(node, scope) : [];
}

const isReason = (name: ts.Node): boolean => name.getText() === 'reason';

/** The argument for the parameter `reason`, if the function or class is known to have one. */
function argumentOf(
  { expression, arguments: values }: ts.CallExpression | ts.NewExpression,
  scope: Scope,
): readonly ts.Expression[] {
  if (!ts.isIdentifier(expression)) return [];
  const [at] = lookUp(expression.text, scope, ({ positions }) => positions) ?? [];
  const value = at === undefined ? undefined : values?.[at];
  return value === undefined ? [] : [value];
}

/** File in which the names of an expression have a meaning. */
interface Scope {
  readonly file: ts.SourceFile;
  readonly index: Index;
  readonly depth: number;
}

/** What a name stands for in its file, or in the file that it is imported from. */
function lookUp<T>(
  name: string,
  { file, index }: Pick<Scope, 'file' | 'index'>,
  part: (names: Names) => ReadonlyMap<string, T>,
): readonly [T, ts.SourceFile] | undefined {
  const own = index.get(file);
  const others = own?.imported.has(name) ? [...index] : [];
  for (const [at, names] of own ? [[file, own] as const, ...others] : []) {
    const value = part(names).get(name);
    if (value !== undefined) return [value, at];
  }
  return undefined;
}

function collect(value: ts.Expression, scope: Scope, found: Found): void {
  if (scope.depth > MAX_DEPTH) return;
  if (ts.isStringLiteralLike(value)) noteLiteral(value, scope.file, found);
  if (ts.isTemplateExpression(value)) noteSuffix(value, found);
  const depth = scope.depth + 1;
  for (const [part, file] of partsOf(value, scope))
    collect(part, { file, index: scope.index, depth }, found);
}

function noteLiteral(
  literal: ts.StringLiteralLike,
  file: ts.SourceFile,
  { literals }: Found,
): void {
  const { text } = literal;
  if (!REASON.test(text) || literals.has(text)) return;
  const { line } = file.getLineAndCharacterOfPosition(literal.getStart());
  literals.set(text, `${file.fileName}:${line + 1}`);
}

function noteSuffix({ head, templateSpans }: ts.TemplateExpression, { suffixes }: Found): void {
  const [span, ...others] = templateSpans;
  if (span && others.length === 0 && head.text === '') suffixes.add(span.literal.text);
}

type Part = readonly [ts.Expression, ts.SourceFile];

/** Expressions of which one is the value, each with its file. */
function partsOf(value: ts.Expression, scope: Scope): readonly Part[] {
  const { file } = scope;
  if (ts.isConditionalExpression(value))
    return [
      [value.whenTrue, file],
      [value.whenFalse, file],
    ];
  if (ts.isBinaryExpression(value))
    return [
      [value.left, file],
      [value.right, file],
    ];
  const inner = unwrapped(value);
  if (inner !== value) return [[inner, file]];
  if (ts.isPropertyAccessExpression(value))
    return valuesOf(value.expression, scope, value.name.text);
  if (ts.isElementAccessExpression(value)) return valuesOf(value.expression, scope);
  const named = ts.isIdentifier(value) && lookUp(value.text, scope, ({ constants }) => constants);
  return named ? [named] : [];
}

/** An expression without parentheses, `as` and `satisfies`. */
const unwrapped = (value: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value)
    ? value.expression
    : value;

/** Values of the properties of a constant object: of the one with that name, or of all. */
function valuesOf(object: ts.Expression, scope: Scope, name?: string): readonly Part[] {
  if (!ts.isIdentifier(object)) return [];
  const [value, file] = lookUp(object.text, scope, ({ constants }) => constants) ?? [];
  const literal = value && unwrapped(value);
  if (file === undefined || literal === undefined || !ts.isObjectLiteralExpression(literal))
    return [];
  return literal.properties
    .filter(ts.isPropertyAssignment)
    .filter((property) => name === undefined || property.name.getText() === name)
    .map(({ initializer }) => [initializer, file]);
}
