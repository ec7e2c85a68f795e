/** Name of the Helm release and of all its objects, and the namespace of the operator. */
export const release = { name: 'karmada-operator', namespace: 'karmada-system' } as const;

const header =
  '# Generated from charts/karmada-operator by `node scripts/run.mjs scripts/deploy.ts`; edit the chart instead.\n';

const namespace = `---
apiVersion: v1
kind: Namespace
metadata:
  name: ${release.namespace}
`;

/** Files of config/deploy, in the order in which `kubectl apply -f` reads them, with their chart templates. */
const layout = {
  '2-rights.yaml': [
    'serviceaccount.yaml',
    'clusterrole.yaml',
    'clusterrolebinding.yaml',
    'role.yaml',
    'rolebinding.yaml',
  ],
  '3-operator.yaml': ['deployment.yaml'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Labels that mark an object as managed by Helm. They are wrong for an object that kubectl applies from a file. */
const helmsOwn = /^\s+(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/gm;

/** Groups the documents of `helm template` by template name. */
function byTemplate(rendered: string): Map<string, string> {
  const documents = rendered.split(/^---\n# Source: \S+\/templates\/(\S+)\n/m).slice(1);
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < documents.length; at += 2) {
    const template = documents[at] ?? '';
    const before = found.has(template) ? `${found.get(template) ?? ''}---\n` : '';
    found.set(template, `${before}${documents[at + 1] ?? ''}`);
  }
  return found;
}

/**
 * Makes the files of config/deploy from the output of `helm template` for the chart without its CRD.
 * @returns file name to content, not yet formatted
 * @throws Error when the chart renders a template that belongs to no file, or lacks one
 */
export function deployFiles(rendered: string): Record<string, string> {
  const documents = byTemplate(rendered);
  const files: Record<string, string> = { '1-namespace.yaml': `${header}${namespace}` };
  for (const [file, templates] of Object.entries(layout)) {
    const parts = templates.map((template) => {
      const document = documents.get(template);
      if (document === undefined)
        throw new Error(`charts/karmada-operator: no ${template} in the rendered output`);
      documents.delete(template);
      return `---\n${document.replaceAll(helmsOwn, '')}`;
    });
    files[file] = `${header}${parts.join('')}`;
  }
  const [left] = documents.keys();
  if (left !== undefined)
    throw new Error(
      `charts/karmada-operator: ${left} belongs to no file of config/deploy; add it to \`layout\``,
    );
  return files;
}
