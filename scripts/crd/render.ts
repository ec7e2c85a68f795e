/** The CRD as a YAML file. */
import { dump } from 'js-yaml';

import { karmadaCrd } from './karmada.ts';

export const crdFile = new URL('../../crds/operator.karmada.io_karmadas.yaml', import.meta.url);

const HEADER = '# Made by scripts/crd.ts from scripts/crd/; change it there.\n';

export interface RenderedCrd {
  readonly yaml: string;
  readonly jsonBytes: number;
  /** What `kubectl apply` puts into its annotation. */
  readonly lastApplied: string;
}

/** The file's text, and its size as compact JSON. */
export function renderCrd(): RenderedCrd {
  const yaml = HEADER + dump(karmadaCrd, { lineWidth: 100, noRefs: true });
  const json = JSON.stringify(karmadaCrd);
  return { yaml, jsonBytes: Buffer.byteLength(json), lastApplied: `${escaped(json)}\n` };
}

/** JSON as Go writes it: "&", "<" and ">", of which rules have many, take six bytes each. */
function escaped(json: string): string {
  const code = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');
  return json.replace(/[&<>]/g, (char) => `\\u${code(char)}`);
}

/** What to do about a stored file that is not what the script makes; undefined when it is. */
export function remedyFor(stored: string): string | undefined {
  if (stored === renderCrd().yaml) return undefined;
  return 'The CRD in crds/ is out of date: run `node scripts/run.mjs scripts/crd.ts`.';
}
