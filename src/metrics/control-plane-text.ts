/**
 * Text of the series of all control planes. A fleet has thousands of series that rarely change, so their lines are kept
 * with the values that they come from, and a scrape only joins them. Objects of the library would be rebuilt at each
 * scrape.
 */
import { keysOf } from '../kubernetes/objects/records.ts';
import type { ControlPlaneFacts } from '../features/control-plane/control-plane-facts.ts';
import type { BackupFacts } from '../controllers/backups/schedule/backup-facts.ts';
import { backupSeries } from './backup-series.ts';
import { FAMILIES, fullName, type FamilyName } from './control-plane-families.ts';
import {
  blockedSeries,
  certificateSeries,
  databaseSeries,
  objectSeries,
  type Series,
} from './control-plane-series.ts';

/** Lines of one source by family. */
type Lines = Readonly<Partial<Record<FamilyName, string>>>;

const NAMES = keysOf(FAMILIES);

const headOf = (family: FamilyName): Uint8Array =>
  Buffer.from(
    `# HELP ${fullName(family)} ${FAMILIES[family].help}\n# TYPE ${fullName(family)} gauge\n`,
  );

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
  return Object.fromEntries(Object.entries(lines).map(([family, text]) => [family, flat(text)]));
}

/** A concatenated string of V8 keeps its parts; one from bytes does not. */
const flat = (text: readonly string[]): string => Buffer.from(text.join('')).toString();

/** Number of sources whose lines are joined only once while none of them changes. */
const BLOCK = 128;

/** Joined lines of some sources, as the endpoint sends them. */
interface Block {
  readonly parts: readonly Lines[];
  readonly lines: Readonly<Partial<Record<FamilyName, Uint8Array>>>;
}

function joined(parts: readonly Lines[]): Block['lines'] {
  const families = NAMES.map(
    (family) => [family, parts.flatMap((part) => part[family] ?? [])] as const,
  );
  const filled = families.filter(([, lines]) => lines.length > 0);
  return Object.fromEntries(filled.map(([family, lines]) => [family, Buffer.from(lines.join(''))]));
}

/** Returns the text of all families that have a series. Keeps lines while their source exists. */
export class ControlPlaneText {
  readonly #lines = new WeakMap<object, Lines>();
  #blocks: readonly Block[] = [];

  /** Text in the format of Prometheus, in parts; empty without control planes. */
  of(
    all: readonly ControlPlaneFacts[],
    backups: readonly BackupFacts[] = [],
  ): readonly Uint8Array[] {
    const parts = [
      ...all.flatMap((facts) => this.#partsOf(facts)),
      ...backups.map((facts) => this.#kept(facts, facts, () => backupSeries(facts))),
    ];
    this.#blocks = Array.from({ length: Math.ceil(parts.length / BLOCK) }, (_, n) =>
      this.#blockOf(parts.slice(n * BLOCK, (n + 1) * BLOCK), this.#blocks[n]),
    );
    const text: Uint8Array[] = [];
    for (const family of NAMES) {
      const lines = this.#blocks.flatMap((block) => block.lines[family] ?? []);
      if (lines.length > 0) text.push(headOf(family), ...lines);
    }
    return text;
  }

  /** Joins thousands of short strings only if one of them is another than in the last scrape. */
  #blockOf(parts: readonly Lines[], last: Block | undefined): Block {
    const isSame =
      last?.parts.length === parts.length && parts.every((part, n) => part === last.parts[n]);
    return isSame ? last : { parts, lines: joined(parts) };
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
