/** Page docs/reference/flags.md: flags of the operator, and the chart values that set them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultText } from '../../src/options/flag-defaults.ts';
import { operatorCommand } from '../../src/options/options.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { code, escaped, page, table } from './markdown.ts';

const INTRODUCTION = [
  'Flags of the operator process.',
  'The column "Helm chart" has the value of the chart `charts/karmada-operator` that sets the flag, or what the chart sets.',
  'Set every other flag with the value `operator.extraArgs`; if a flag is set twice, the last one applies.',
].join(' ');

const TEMPLATE = 'charts/karmada-operator/templates/deployment.yaml';

/** Path below `.Values` in a line of a template, such as `.Values.logging.format` or `(.Values.logging).format`. */
function valueIn(line: string): string | undefined {
  const [, path, rest = ''] = /\.Values\.([\w.]+)(?:\)(\.[\w.]+))?/.exec(line) ?? [];
  return path === undefined ? undefined : path + rest;
}

/** What an argument of the Deployment sets, as Markdown. @param scope value of the block around it */
function settingText(line: string, literal: string, scope: string): string {
  if (line.includes('.Release.Namespace')) return 'Namespace of the Helm release';
  if (line.includes('"karmada-operator.image"')) return 'image of the operator';
  return literal.startsWith('%') ? code(valueIn(line) ?? scope) : `set to ${code(literal)}`;
}

/**
 * What the chart sets for each flag.
 * @param template text of the Deployment template
 * @returns by flag with its dashes: `.Values` path, the namespace of the release, the image, or the literal value, as Markdown
 */
export function chartSettings(template: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let scope = '';
  for (const line of template.split('\n')) {
    if (/\{\{-? (?:with|if|range) /.test(line)) scope = valueIn(line) ?? scope;
    const argument = /- .*?(--[a-z][a-z-]*)=([^\s"]+)/.exec(line);
    if (argument === null) continue;
    const [, flag = '', literal = ''] = argument;
    found.set(flag, settingText(line, literal, scope));
  }
  return found;
}

/** Returns the page, not formatted. */
export function flagsPage(): string {
  const settings = chartSettings(readFileSync(join(checkout, TEMPLATE), 'utf8'));
  const rows = operatorCommand().options.map((option) => {
    const value = defaultText(option);
    const choices = option.argChoices?.map(code).join(' or ');
    return [
      code(option.flags),
      value === '' ? '' : code(value),
      escaped(option.description) + (choices === undefined ? '' : `: ${choices}`),
      settings.get(option.long ?? '') ?? '',
    ];
  });
  return page('Flags', [
    INTRODUCTION,
    table(['Flag', 'Default', 'Description', 'Helm chart'], rows),
  ]);
}
