/** Texts that the operator itself writes into the objects of a control plane. Pure. */
import { CATALOG } from '../../api/component-catalog.ts';
import { defaultSpec } from '../../api/defaults/defaults.ts';
import type { Karmada, KarmadaSpec, LocalEtcd } from '../../api/karmada.ts';
import type { Templates } from '../../components/render.ts';
import { renderDesiredObjects } from '../../instance/desired-objects.ts';
import { textsIn, type Vocabulary } from './redact/shape.ts';

/**
 * Returns all texts in the objects of a control plane without settings of a user. A value of a flag that is among them is
 * shown; other values could be secret.
 */
export function vocabularyOf(templates: Templates, { metadata, spec = {} }: Karmada): Vocabulary {
  const { name, namespace = '' } = metadata;
  const { objects } = renderDesiredObjects(templates, {
    name,
    namespace,
    archive: { crds: [], problems: [] },
    spec: defaultSpec(plainSpec(spec), { defaultStorageClass: true }),
    certificates: { caBundle: '', restartHashes: {}, formerRestartHashes: {} },
  });
  const host = objects.filter(({ cluster }) => cluster === 'host').map(({ object }) => object);
  const catalog = CATALOG.map((component) => component.name);
  const texts = textsIn(host);
  return new Set([name, namespace, ...catalog, ...texts, ...texts.flatMap(flagValue)]);
}

/** Only settings that have no free text. */
const plainSpec = ({ version, hostCluster, components }: KarmadaSpec): KarmadaSpec => ({
  ...(version && { version }),
  ...(hostCluster?.networking && { hostCluster: { networking: hostCluster.networking } }),
  components: { etcd: { local: etcdSize(components?.etcd?.local?.replicas) } },
});

const etcdSize = (replicas: number | undefined): LocalEtcd =>
  replicas === undefined ? {} : { replicas };

/** Value of an argument such as `--v=2`. */
const flagValue = (text: string): readonly string[] => {
  const [, value] = /^--[\w-]+=(.+)$/s.exec(text) ?? [];
  return value === undefined ? [] : [value];
};
