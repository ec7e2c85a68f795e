/**
 * Text of the series of all control planes. A fleet has thousands of series that rarely change, so their lines are kept
 * with the values that they come from, and a scrape only joins them. Objects of prom-client would be rebuilt at each
 * scrape.
 */
import type { ControlPlaneFacts } from '../reconcile/control-plane-facts.ts';
import type { BackupFacts } from '../reconcile/backups/backup-facts.ts';
import { backupSeries } from './backup-series.ts';
import {
  blockedSeries,
  certificateSeries,
  databaseSeries,
  FAMILIES,
  fullName,
  objectSeries,
  type FamilyName,
  type Series,
} from './control-plane-series.ts';

/** Lines of one source by family. */
type Lines = Readonly<Partial<Record<FamilyName, string>>>;

const NAMES = Object.keys(FAMILIES) as FamilyName[];

/** Escapes a label value for the text format of Prometheus. */
const escaped = (value: string): string =>
  /["\\\n]/.test(value)
    ? value.replace(/["\\\n]/g, (found) => (found === '\n' ? String.raw`\n` : `\\${found}`))
    : value;

interface Owner {
  readonly namespace?: string;
  readonly name: string;
}

function linesOf({ namespace = '', name }: Owner, all: readonly Series[]): Lines {
  const owner = `karmada_namespace="${escaped(namespace)}",karmada_name="${escaped(name)}"`;
  const lines: Partial<Record<FamilyName, string[]>> = {};
  for (const { family, labels, value } of all) {
    const names: readonly string[] = FAMILIES[family].labels;
    const own = labels.map((label, index) => `,${names[index] ?? ''}="${escaped(label)}"`);
    const line = `${fullName(family)}{${owner}${own.join('')}} ${String(value)}\n`;
    (lines[family] ??= []).push(line);
  }
  // A concatenated string of V8 keeps its parts; one from bytes does not.
  const flat = (text: readonly string[]): string => Buffer.from(text.join('')).toString();
  return Object.fromEntries(Object.entries(lines).map(([family, text]) => [family, flat(text)]));
}

/** Returns the text of all families that have a series. Keeps lines while their source exists. */
export class ControlPlaneText {
  readonly #lines = new WeakMap<object, Lines>();

  /** Text in the format of Prometheus; empty without control planes. */
  of(all: readonly ControlPlaneFacts[], backups: readonly BackupFacts[] = []): string {
    const parts = [
      ...all.flatMap((facts) => this.#partsOf(facts)),
      ...backups.map((facts) => this.#kept(facts, facts, () => backupSeries(facts))),
    ];
    const text: string[] = [];
    for (const family of NAMES) {
      const lines = parts.flatMap((part) => part[family] ?? []);
      if (lines.length > 0) text.push(headOf(family), ...lines);
    }
    return text.join('');
  }

  #partsOf({ karmada, certificates, blocked, etcd }: ControlPlaneFacts): readonly Lines[] {
    const { metadata: owner } = karmada;
    return [
      this.#kept(karmada, owner, () => objectSeries(karmada)),
      ...(certificates
        ? [this.#kept(certificates, owner, () => certificateSeries(certificates))]
        : []),
      ...(blocked ? [this.#kept(blocked, owner, () => blockedSeries(blocked))] : []),
      ...(etcd.length > 0 ? [this.#kept(etcd, owner, () => databaseSeries(etcd))] : []),
    ];
  }

  #kept(source: object, owner: Owner, make: () => readonly Series[]): Lines {
    const known = this.#lines.get(source);
    if (known !== undefined) return known;
    const lines = linesOf(owner, make());
    this.#lines.set(source, lines);
    return lines;
  }
}

const headOf = (family: FamilyName): string =>
  `# HELP ${fullName(family)} ${FAMILIES[family].help}\n# TYPE ${fullName(family)} gauge\n`;
