/** The CRD as a YAML file. */
import { dump } from 'js-yaml';

import { karmadaCrd } from './karmada.ts';

export const crdFile = new URL('../../crds/operator.karmada.io_karmadas.yaml', import.meta.url);

const HEADER = '# Made by scripts/crd.ts from scripts/crd/; change it there.\n';

/** The file's text, and the size that `kubectl apply` would put into its annotation. */
export function renderCrd(): { readonly yaml: string; readonly jsonBytes: number } {
  const yaml = HEADER + dump(karmadaCrd, { lineWidth: 100, noRefs: true });
  return { yaml, jsonBytes: Buffer.byteLength(JSON.stringify(karmadaCrd)) };
}

/** What to do about a stored file that is not what the script makes; undefined when it is. */
export function remedyFor(stored: string): string | undefined {
  if (stored === renderCrd().yaml) return undefined;
  return 'The CRD in crds/ is out of date: run `node scripts/run.mjs scripts/crd.ts`.';
}
