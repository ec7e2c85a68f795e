/** The picture of `status`: the output of the command for a control plane that ran in the embedded cluster. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { palette } from '../../src/cli/program/text.ts';
import type { StatusFacts } from '../../src/cli/status/read-status.ts';
import { statusText } from '../../src/cli/status/status-text.ts';
import { statusView } from '../../src/cli/status/status-view.ts';
import { terminalPicture } from './terminal-picture.ts';

/** Objects of the control plane as they were in the cluster at a time: the namespace has another name, and fields that the command ignores are missing. */
type Recorded = Pick<StatusFacts, 'karmada' | 'workloads' | 'pods'> & { readonly now: string };

/** No word of the present output is broken with this width. */
const COLUMNS = 111;

/** Renders the picture. */
export async function statusPicture(): Promise<string> {
  const file = join(import.meta.dirname, '__fixtures__/status.json');
  const { now: at, ...objects } = JSON.parse(await readFile(file, 'utf8')) as Recorded;
  const now = Date.parse(at);
  const { name, namespace = '' } = objects.karmada.metadata;
  const view = statusView({ ...objects, certificates: undefined, notes: [] }, now);
  return terminalPicture({
    title: 'State of a control plane in a terminal',
    command: `kubectl karmada-operator status ${name} -n ${namespace}`,
    output: statusText(view, { palette: palette(true), now }),
    columns: COLUMNS,
  });
}
