/** Command `certificates`. */
import type { Command } from 'commander';
import { openHost } from '../plan-host.ts';
import { withConnection, type ConnectionFlags } from '../program/connect.ts';
import type { Environment } from '../program/environment.ts';
import { readKarmada } from '../program/karmada.ts';
import { outputOption, structured, type StructuredFormat } from '../program/structured.ts';
import {
  columns,
  daysUntil,
  palette,
  printable,
  usesColors,
  type Palette,
} from '../program/text.ts';
import { readCertificates, type CertificateRow } from './read-certificates.ts';

type Flags = ConnectionFlags & { readonly output?: StructuredFormat };

/** Adds the command `certificates`. */
export function addCertificates(program: Command, environment: Environment): void {
  program
    .command('certificates')
    .alias('certs')
    .argument('<name>', 'name of the Karmada')
    .addOption(outputOption())
    .action(async (name: string, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const rows = await withConnection(environment, flags, async (connection) => {
        const karmada = await readKarmada(connection, name);
        const host = await openHost(connection, karmada);
        try {
          return await readCertificates(host.client, karmada);
        } finally {
          await host.close();
        }
      });
      environment.output.write(
        flags.output === undefined
          ? certificatesTable(rows, environment.clock.wall(), palette(usesColors(environment)))
          : structured({ items: rows }, flags.output),
      );
    });
}

const HEADER = ['NAME', 'SUBJECT', 'SANS', 'ISSUED', 'EXPIRES', 'DAYS', 'RENEWAL', 'SECRET'];

/** Days before an expiry from which it is highlighted. */
const SOON_DAYS = 30;

/** Formats the certificates as a table, first expiry first. @param now milliseconds since 1970 */
function certificatesTable(
  rows: readonly CertificateRow[],
  now: number,
  { bad, warning }: Palette,
): string {
  if (rows.length === 0) return 'No certificates found\n';
  const lines = rows.map((row) => {
    const days = daysUntil(Date.parse(row.notAfter), now);
    const paint = days < 0 ? bad : days < SOON_DAYS ? warning : String;
    return [
      row.isCA ? `${row.name} (CA)` : row.name,
      printable(row.subject),
      sansText(row.sans),
      issuedText(row),
      paint(dateOf(row.notAfter)),
      paint(String(days)),
      row.renewal === 'manual' ? 'manual' : dateOf(row.renewalTime),
      row.secret,
    ];
  });
  return columns([HEADER, ...lines])
    .map((line) => `${line}\n`)
    .join('');
}

/** The date, and the request if a user has requested it. */
const issuedText = ({ issuedTime, reissueRequest }: CertificateRow): string =>
  [
    dateOf(issuedTime),
    ...(reissueRequest === undefined ? [] : [`(${printable(reissueRequest)})`]),
  ].join(' ');

const dateOf = (time: string): string => time.slice(0, 10);

/** The first SAN that is not a wildcard, and the number of the others. */
function sansText(sans: readonly string[]): string {
  const [first, ...others] = sans.toSorted(
    (one, other) => Number(one.startsWith('*')) - Number(other.startsWith('*')),
  );
  if (first === undefined) return '-';
  return others.length === 0 ? printable(first) : `${printable(first)} +${others.length}`;
}
