import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns options so that apt does not use the lists, cache and locks of the machine, and creates their folders.
 * @param directory existing folder for them
 * @param architecture architecture of the packages in the terms of Debian; that of the machine by default
 */
export async function aptOptions(directory: string, architecture?: string): Promise<string[]> {
  const lists = join(directory, 'lists');
  const cache = join(directory, 'cache');
  for (const folder of [join(lists, 'partial'), join(cache, 'archives/partial')])
    await mkdir(folder, { recursive: true });
  const foreign =
    architecture === undefined
      ? []
      : [`-oAPT::Architecture=${architecture}`, `-oAPT::Architectures=${architecture}`];
  return [
    `-oDir::State::lists=${lists}`,
    `-oDir::Cache=${cache}`,
    ...foreign,
    '-oAPT::Sandbox::User=root',
    '-oDebug::NoLocking=1',
    '-oAcquire::Retries=3',
    '-qq',
  ];
}
