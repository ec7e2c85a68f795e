/** Command `report`: an archive for a bug report, without values of Secrets. */
import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { durationMs } from '../../api/duration.ts';
import type { Karmada } from '../../api/karmada.ts';
import { timeSuffix } from '../backup/read-backups.ts';
import { hostEndpoint } from '../plan-host.ts';
import {
  withConnection,
  type CommandRequest,
  type Connection,
  type ConnectionFlags,
} from '../program/connect.ts';
import { CommandError, type Environment } from '../program/environment.ts';
import { listKarmadas, readKarmada } from '../program/karmada.ts';
import { printable } from '../program/text.ts';
import { writeArchive, type ReportFile } from './archive.ts';
import { Omissions } from './read-objects.ts';
import { readReport, type ReportFacts } from './read-report.ts';
import { readmeText } from './readme-text.ts';
import type { Redactor } from './redact/redactor.ts';
import { schemaShapes } from './redact/schema-shapes.ts';
import type { Vocabulary } from './redact/shape.ts';
import { objectFiles, projectReport, statusFiles } from './report-files.ts';
import { readLogs, type LogSettings } from './report-logs.ts';
import { reportRedactor } from './report-redactor.ts';
import { vocabularyOf } from './vocabulary.ts';

interface Flags extends ConnectionFlags {
  readonly file?: string;
  readonly logs: boolean;
  readonly since?: number;
}

/** Parses `--since` to seconds. */
function seconds(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms < 1_000)
    throw new InvalidArgumentError('must be a duration of 1s or more, such as 30m or 2h.');
  return Math.floor(ms / 1_000);
}

/** Adds the command `report`. */
export function addReport(program: Command, environment: Environment): void {
  program
    .command('report')
    .argument('[name]', 'name of the Karmada; all of the namespace without it')
    .option('--file <file>', 'archive to write; by default a name with the current time')
    .option('--no-logs', 'omit the logs of Pods')
    .option('--since <duration>', 'only log lines newer than this, such as 30m or 2h', seconds)
    .action(async (name: string | undefined, _, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withConnection(environment, flags, (connection) =>
        writeReport({ environment, connection, flags }, name),
      );
    });
}

type Request = CommandRequest<Flags>;

async function writeReport(request: Request, name: string | undefined): Promise<void> {
  const { environment, connection, flags } = request;
  const { output, errors, clock, workingDirectory } = environment;
  const karmadas =
    name === undefined
      ? await listKarmadas(connection, false)
      : [await readKarmada(connection, name)];
  if (karmadas.length === 0)
    throw new CommandError(
      `no Karmadas found in namespace ${connection.namespace}; select another one with -n`,
    );
  const time = clock.wall();
  const subject = [connection.namespace, ...(name === undefined ? [] : [name])].join('-');
  const folder = `karmada-report-${subject}-${timeSuffix(time)}`;
  const file = resolve(workingDirectory, flags.file ?? `${folder}.tar.gz`);
  const omissions = new Omissions();
  const facts = await readReport(connection, karmadas, omissions);
  await writeArchive({ file, folder, time }, reportFiles(request, facts, omissions));
  output.write(`Report written to ${printable(file)}\n`);
  for (const note of omissions.notes) errors.write(`${printable(note)}\n`);
  errors.write('Check the report before you share it: README.txt describes its content\n');
}

/** All files of a report, redacted. */
async function* reportFiles(
  request: Request,
  facts: ReportFacts,
  omissions: Omissions,
): AsyncGenerator<ReportFile> {
  const { environment, flags } = request;
  const disclosure = {
    vocabulary: vocabularyFor(environment, facts, omissions),
    shapes: schemaShapes(await environment.fieldSchemas()),
  };
  const projected = projectReport(facts, disclosure);
  const redactor = reportRedactor(facts, projected.hidden, disclosure);
  const now = environment.clock.wall();
  const versions = [`Plugin: ${environment.version}`, ...facts.versions, ...hostVersions(facts)];
  yield* redacted(redactor, [
    ...objectFiles(projected.files, redactor),
    ...statusFiles(facts.controlPlanes, redactor, now),
    { path: 'versions.txt', text: redactor.text(versions.map((line) => `${line}\n`).join('')) },
  ]);
  if (flags.logs)
    for await (const file of logFiles(request, facts, omissions))
      yield* redacted(redactor, [{ ...file, text: redactor.text(file.text) }]);
  // Last, because it lists what could not be read.
  const readme = readmeText({
    time: new Date(now).toISOString(),
    omissions: omissions.notes.map(redactor.text),
    logs: flags.logs,
  });
  yield* redacted(redactor, [{ path: 'README.txt', text: readme }]);
}

/** Removes known values from complete files, whatever wrote them. */
const redacted = ({ known }: Redactor, files: readonly ReportFile[]): readonly ReportFile[] =>
  files.map(({ path, text }) => ({ path: known(path), text: known(text) }));

const hostVersions = ({ controlPlanes }: ReportFacts): readonly string[] =>
  controlPlanes.flatMap(({ karmada, host }) =>
    host === undefined
      ? []
      : [`Host cluster of ${karmada.metadata.name}: Kubernetes ${host.kubernetesVersion}`],
  );

function vocabularyFor(
  { templates }: Environment,
  { controlPlanes }: ReportFacts,
  omissions: Omissions,
): Vocabulary {
  const render = templates();
  return new Set(
    controlPlanes.flatMap(({ karmada }) => {
      try {
        return [...vocabularyOf(render, karmada)];
      } catch {
        omissions.add(
          `arguments of ${karmada.metadata.name}: not shown, because its version is not known`,
        );
        return [];
      }
    }),
  );
}

async function* logFiles(
  { environment, connection, flags }: Request,
  { controlPlanes, operator }: ReportFacts,
  omissions: Omissions,
): AsyncGenerator<ReportFile> {
  const { userAgent } = connection;
  const settings: LogSettings = { sinceSeconds: flags.since };
  const source = { environment, userAgent, settings };
  for (const { karmada, host } of controlPlanes) {
    if (host === undefined) continue;
    const endpoint = await endpointOf(connection, karmada, omissions);
    if (endpoint === undefined) continue;
    const pods = host.lists['pods'] ?? [];
    yield* readLogs({ ...source, endpoint }, pods, `${karmada.metadata.name}/logs`, omissions);
  }
  const { endpoint } = connection;
  yield* readLogs({ ...source, endpoint }, operator.pods, 'operator/logs', omissions);
}

const endpointOf = (connection: Connection, karmada: Karmada, omissions: Omissions) =>
  omissions.value(`logs of ${karmada.metadata.name}`, () => hostEndpoint(connection, karmada));
