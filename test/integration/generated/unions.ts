/** Unions: fields of which a sensible object sets at most one. */

interface Union {
  /** Path pattern of the objects with these fields. */
  readonly at: RegExp;
  readonly members: readonly string[] | 'all but name';
}

const UNIONS: readonly Union[] = [
  { at: /^spec\.crdTarball$/, members: ['httpSource', 'configMapRef', 'secretRef'] },
  { at: /\.etcd$/, members: ['local', 'external'] },
  { at: /\.volumeData$/, members: ['volumeClaim', 'hostPath', 'emptyDir'] },
  { at: /\.podDisruptionBudgetConfig$/, members: ['minAvailable', 'maxUnavailable'] },
  { at: /\.extraVolumes\[\]$/, members: 'all but name' },
  { at: /\.(liveness|readiness|startup)Probe$/, members: ['exec', 'httpGet', 'tcpSocket', 'grpc'] },
  { at: /\.(postStart|preStop)$/, members: ['exec', 'httpGet', 'tcpSocket', 'sleep'] },
  { at: /\.env\[\]$/, members: ['value', 'valueFrom'] },
  {
    at: /\.valueFrom$/,
    members: ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'],
  },
  { at: /\.envFrom\[\]$/, members: ['configMapRef', 'secretRef'] },
  {
    at: /\.sources\[\]$/,
    members: [
      'secret',
      'configMap',
      'downwardAPI',
      'serviceAccountToken',
      'clusterTrustBundle',
      'podCertificate',
    ],
  },
  { at: /\.downwardAPI\.items\[\]$/, members: ['fieldRef', 'resourceFieldRef'] },
  { at: /\.fc$/, members: ['targetWWNs', 'wwids'] },
  { at: /\.flocker$/, members: ['datasetName', 'datasetUUID'] },
  { at: /\.(volumeMounts|extraVolumeMounts)\[\]$/, members: ['subPath', 'subPathExpr'] },
  { at: /Claim(Template)?\.spec$/, members: ['dataSource', 'dataSourceRef'] },
];

/** Objects for which setting none of the fields is sensible. */
const OPTIONAL =
  /\.(etcd|sources\[\]|env\[\]|volumeData|volumeMounts\[\]|extraVolumeMounts\[\]|spec)$/;

export interface Choice {
  readonly members: readonly string[];
  readonly optional: boolean;
}

/** Mutually exclusive fields of the object at `path`. */
export function choiceAt(path: string, names: readonly string[]): Choice | undefined {
  const union = UNIONS.find(({ at }) => at.test(path));
  if (!union) return undefined;
  const members =
    union.members === 'all but name'
      ? names.filter((name) => name !== 'name')
      : union.members.filter((name) => names.length === 0 || names.includes(name));
  return { members, optional: OPTIONAL.test(path) };
}

/** Field selected by a path in each union outside of lists: path of the object, and selected field. */
export function decisions(path: string): ReadonlyMap<string, string> {
  const single = path.split('[]')[0] ?? '';
  const steps = [...single.matchAll(/\./g)].map(({ index }) => index);
  return new Map(
    steps.flatMap((end) => {
      const at = single.slice(0, end);
      const field = /^[^.[{]*/.exec(single.slice(end + 1))?.[0] ?? '';
      return choiceAt(at, [])?.members.includes(field) === true ? [[at, field] as const] : [];
    }),
  );
}
