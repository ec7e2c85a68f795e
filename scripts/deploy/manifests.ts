/** Name of the release and of all its objects, and the namespace of the operator's own objects. */
export const release = { name: 'karmada-operator', namespace: 'karmada-system' } as const;

const header =
  '# Made from charts/karmada-operator by `node scripts/run.mjs scripts/deploy.ts`; change it there.\n';

const namespace = `---
apiVersion: v1
kind: Namespace
metadata:
  name: ${release.namespace}
`;

/** The files of config/deploy in the order `kubectl apply -f` takes them, with the chart's templates in each. */
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

/** Labels that say Helm looks after an object: not true of one that is applied as a file. */
const helmsOwn = /^\s+(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/gm;

/** The documents of `helm template`, by the name of the template they come from. */
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
 * The files of config/deploy, made from what `helm template` prints for the chart without its CRD.
 * @returns file name to content, not formatted yet
 * @throws Error when the chart renders a template that no file takes, or lacks one
 */
export function deployFiles(rendered: string): Record<string, string> {
  const documents = byTemplate(rendered);
  const files: Record<string, string> = { '1-namespace.yaml': `${header}${namespace}` };
  for (const [file, templates] of Object.entries(layout)) {
    const parts = templates.map((template) => {
      const document = documents.get(template);
      if (document === undefined) throw new Error(`the chart renders no ${template}`);
      documents.delete(template);
      return `---\n${document.replaceAll(helmsOwn, '')}`;
    });
    files[file] = `${header}${parts.join('')}`;
  }
  const [left] = documents.keys();
  if (left !== undefined) throw new Error(`no file of config/deploy takes the chart's ${left}`);
  return files;
}
