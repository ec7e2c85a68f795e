/** Flag with the address of CRD archives that the image does not contain. */
import { InvalidArgumentError, type Command } from 'commander';
import { PUBLISHED_ARCHIVE, RELEASE_PLACEHOLDER } from '../crd-archives/source.ts';

/** Parses the URL template of CRD archives. @throws InvalidArgumentError */
function archiveTemplate(text: string): string {
  const url = text.replaceAll(RELEASE_PLACEHOLDER, 'v1.0.0');
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (text === '' || (isUrl && text.includes(RELEASE_PLACEHOLDER))) return text;
  throw new InvalidArgumentError(
    `must be an http or https URL with ${RELEASE_PLACEHOLDER}, or empty to download nothing.`,
  );
}

/** Adds the flag to a command. */
export function addArchiveUrl(command: Command): Command {
  return command.option(
    '--crd-archive-url <url>',
    'URL of the CRD archive of a Karmada release that the image does not contain, with {release}; empty to download none',
    archiveTemplate,
    PUBLISHED_ARCHIVE,
  );
}
