/** Typical values of fields, and hostile values for any field. */
import fc from 'fast-check';
import { codePoint } from '../../harness/code-point.ts';

import type { Schema } from '../../../scripts/crd/schema.ts';

type Hint = readonly [at: RegExp, values: readonly unknown[]];

const PATH = 'a/b.txt';

/** Values by field path; the first matching entry applies. Other fields get a short name. */
const HINTS: readonly Hint[] = [
  [/\.imageRepository$/, ['registry.example/karmada/x', 'localhost:5000/a/b__c', 'karmada', '']],
  [/\.imageTag$/, ['v1.17.1', '3.6.6-0', 'latest', `v1@sha256:${'a'.repeat(64)}`, '']],
  [/\.labels\{\}$|\.matchLabels\{\}$/, ['', 'a', 'A_b.c-1', '1']],
  [/nnotations\{\}$/, ['', 'a: {b', 'x\n- y', '"', "{{name}} '", '日本', '1']],
  [/\.priorityClassName$/, ['system-node-critical', 'a.b', '']],
  [/\.(minAvailable|maxUnavailable)$/, [0, 1, '50%', '100%', '007%']],
  [/\.tolerations\[\]\.key$/, ['node-role.kubernetes.io/master', 'a']],
  [/\.(value|extraArgs\{\})$/, ['', 'yes', '1', 'A_b']],
  [/\.autoCompactionRetention$/, ['30m', '1h30m', '1000']],
  [/\.stepDeadline$/, ['90s', '10m', '1h30m']],
  [/GracePeriod$/, ['30s', '10m']],
  [/\.topologyKey$/, ['kubernetes.io/hostname', 'zone']],
  [
    /\.certSANs\[\]$|CertSANs\[\]$/,
    ['*.example.com', '10.0.0.1', 'fd00::1', 'a', '::ffff:1.2.3.4'],
  ],
  [/\.controllers\[\]$/, ['*', '-ttl', 'namespace']],
  [/\.serviceSubnet$/, ['10.96.0.0/12', 'fd00::/108', '10.0.0.0/16,fd00:1::/112', '']],
  [/\.hostAliases\[\]\.ip$|\.nameservers\[\]$/, ['10.0.0.1', 'fd00::1']],
  // The cluster of the test has one IP family.
  [/\.ipFamilyPolicy$/, ['SingleStack', 'PreferDualStack']],
  [/\.loadBalancerClass$/, ['internal-vip', 'example.com/Internal', '']],
  [
    /\.endpoints\[\]$/,
    ['https://10.0.0.1:2379', 'https://[fd00::1]:2379', 'etcd.example.com:2379'],
  ],
  [/\.clusters\[\]$/, ['m1', 'member-2', 'a']],
  [/\.apiEndpoint$/, ['https://10.0.0.1:6443', 'host.example.com', '']],
  [/\.dnsDomain$/, ['cluster.local', 'k8s.example.org', 'a']],
  [/^spec\.version$/, ['v1.17.1', 'v1.16.0', '']],
  [/^spec\.privateRegistry\.registry$/, ['registry.example:5000/mirror', 'a.b/', '']],
  [/\.url$/, ['http://local', 'https://u:p@a.example:8443/crds.tar.gz?x=1', 'https://[fd00::1]/a']],
  [/\.proxyURL$/, ['http://proxy:3128', 'socks5://10.0.0.1:1080']],
  [/\.sha256$/, ['a1'.repeat(32)]],
  [/\.hostPath\.path$|\.nfs\.path$|\.httpGet\.path$/, ['/data', '/a/b..c', '/']],
  [
    /\.(sub|key|certificateChain|credentialBundle)?[pP]ath(Expr)?$|\.directory$/,
    [PATH, 'a', '.b/c..d'],
  ],
  [/\.downwardAPI\.items\[\]\.fieldRef\.fieldPath$/, ['metadata.uid', "metadata.labels['a/b']"]],
  [
    /\.fieldPath$/,
    ['metadata.name', "metadata.annotations['A.b/C']", 'status.podIP', 'spec.nodeName'],
  ],
  [/\.resourceFieldRef\.resource$/, ['limits.memory', 'requests.ephemeral-storage']],
  [/\.divisor$/, ['1Mi', '1', '1k', 0, 1]],
  [/\.containerName$/, ['kube-apiserver']],
  [/\.xpirationSeconds$|\.expirationSeconds$|\.maxExpirationSeconds$/, [3600, 7200]],
  [/\.signerName$/, ['example.com/signer', 'a.b/c.d']],
  [/\.(httpGet|tcpSocket)\.port$/, [1, 8080, 65_535, 'http', '0-a-1']],
  [/\.httpHeaders\[\]\.name$/, ['X-A', 'accept']],
  [/\.sidecarContainers\[\]\.image$/, ['registry.example/a:v1', 'a']],
  [/\.sizeLimit$/, ['1Gi', 0, '500M', '.5']],
  [/\.accessModes\[\]$/, ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany']],
  [/\.targetPortal$/, ['10.0.0.1:3260']],
  [/\.(iqn|initiatorName)$/, ['iqn.2001-04.com.example:a', `eui.${'0'.repeat(16)}`]],
  [/\.quobyte\.registry$/, ['a:1', '[::1]:2,b:3']],
  [/\.driver$/, ['csi.Example.com', 'a']],
  [/\.azureDisk\.kind$/, ['Shared', 'Dedicated', 'Managed']],
  [/\.(dataSource|dataSourceRef)\.kind$/, ['PersistentVolumeClaim']],
  [/\.(dataSource|dataSourceRef)\.apiGroup$/, ['snapshot.storage.k8s.io']],
  [/\.runAsUserName$/, ['ContainerUser', 'DOMAIN\\user', 'a.example.com\\u v']],
  [/\.localhostProfile$/, ['profiles/a.json']],
  [/\.capabilities\./, ['NET_ADMIN', 'ALL', 'CAP_SYS_ADMIN']],
  [/\.env\[\]\.name$|\.prefix$/, ['A', 'b c-1!', 'x.y']],
  [/\.fileKeyRef\.key$/, ['A']],
  [/\.hostIP$/, ['127.0.0.1', '::1']],
  [/\.tolerationSeconds$/, [0, -1, 300]],
  [/\.metadata\.(name|namespace)$/, ['']],
  [/\.successThreshold$/, [0, 1]],
  [/\.seconds$/, [0, 8, 75]],
  [/\.terminationGracePeriodSeconds$/, [1, 30]],
];

/** Keys of maps, by the path of the map. */
const KEYS: readonly (readonly [at: RegExp, keys: readonly string[]])[] = [
  [/nnotations$/, ['note', 'Example.com/Note', 'example.com/a_B.c']],
  [/\.(labels|matchLabels)$/, ['team', 'example.com/team', 'A_b']],
  [/\.extraArgs$/, ['v', 'audit-log-path', 'feature-gates', 'x.y_z']],
  [/\.featureGates$/, ['Failover', 'AllAlpha']],
  [/./, ['k', 'key-2']],
];

const NAMES = ['alpha', 'beta-2', 'c'];

/** A sensible value of a field without parts. */
export function valueOf(path: string, schema: Schema): fc.Arbitrary<unknown> {
  const hint = HINTS.find(([at]) => at.test(path));
  if (hint) return fc.constantFrom(...hint[1]);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') {
    const least = Math.max(0, schema.minimum ?? 0);
    return fc.integer({ min: least, max: Math.min(schema.maximum ?? Infinity, least + 9) });
  }
  return fc.constantFrom(...NAMES);
}

export function keyOf(path: string): fc.Arbitrary<string> {
  const keys = KEYS.find(([at]) => at.test(path))?.[1] ?? NAMES;
  return fc.constantFrom(...keys);
}

/** Valid Karmada names. */
export const KARMADA_NAMES = [
  'demo',
  'karmada',
  'a-karmada-b',
  'a'.repeat(34),
  `karmada${'z'.repeat(35)}`,
];

const HOSTILE: readonly string[] = [
  ...['', ' ', 'a b', ' a', 'a ', '"', "'", '\\', 'a: {b', '{{name}}', '{{{', '}}', '{{> pod}}'],
  ...[
    '!!js/function "x"',
    '&a *a',
    '<<: *a',
    'x\n- y',
    'a\n',
    '\t',
    '\r\n',
    '# c',
    '---',
    '%YAML 1.1',
    '| a',
  ],
  ...[
    'null',
    'true',
    '~',
    '123',
    '-1',
    '1.5',
    '0x1',
    '1e3',
    '007',
    '--v',
    '-a',
    'a-',
    'A',
    'Name',
    'a_b',
    '_a',
  ],
  ...[
    'a.',
    '.a',
    'a..b',
    'a.-b',
    '..',
    '.',
    '../a',
    'a/../b',
    '/a',
    '/a/../b',
    '/',
    '//',
    'a/b',
    'a/b/c',
    'C:\\a',
  ],
  ...[
    'http://a',
    'https://a b',
    'http://a:99999/',
    'https://a:x',
    'http://1.2.3.999/',
    'ftp://a',
    'a:b',
    'a:1',
  ],
  ...[
    'ü',
    '日本',
    '\u0000',
    '\u0007',
    '\u00a0x',
    '\u2028',
    '\ufeff',
    '💥',
    '\ud800',
    'é'.repeat(100),
  ],
  ...[
    'a'.repeat(64),
    'a'.repeat(254),
    `${'a'.repeat(254)}/b`,
    `${'a'.repeat(60)}.`.repeat(4),
    'x'.repeat(5000),
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '$(POD_IP)',
    '${x}',
    '$1',
    '<b>&amp;',
    "'; rm -rf /",
    '`id`',
  ],
  ...[
    '1Gi',
    '1 Gi',
    '1GB',
    '500m',
    '-1m',
    '1e999',
    '0',
    '50%',
    '101%',
    '-1%',
    '1',
    '1.5%',
    '9'.repeat(40),
  ],
  ...[
    '10.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.1',
    '300.0.0.1',
    'fd00::1',
    'fd00::/64',
    ':::',
    'fe80::1%eth0',
    '*',
    '*.a',
  ],
  ...[
    'example.com/a',
    'Example.com/A',
    'kubernetes.io/x',
    'requests.example.com/x',
    'operator.karmada.io/x',
  ],
  ...[
    'app.kubernetes.io/name',
    'app.kubernetes.io/instance',
    'apiserver',
    'karmada-webhook',
    'demo',
  ],
  ...['kubernetes.io/config.mirror', 'controller.kubernetes.io/pod-deletion-cost'],
  ...[
    'seccomp.security.alpha.kubernetes.io/pod',
    'container.seccomp.security.alpha.kubernetes.io/etcd',
  ],
  ...[
    'container.apparmor.security.beta.kubernetes.io/etcd',
    'scheduler.alpha.kubernetes.io/tolerations',
  ],
  ...[
    'service.beta.kubernetes.io/load-balancer-source-ranges',
    'service.kubernetes.io/topology-mode',
  ],
  ...[
    'cpu',
    'memory',
    'storage',
    'pods',
    'hugepages-2Mi',
    'hugepages-x',
    'example.com/gpu',
    'attachable-volumes-x',
  ],
  ...[
    'metadata.labels',
    "metadata.labels['a b']",
    "metadata.labels['']",
    'spec.host',
    'limits.cpu',
    'limits.',
  ],
  ...[
    'In',
    'Exists',
    'Gt',
    'Lt',
    'Equal',
    'Always',
    'never',
    'TCP',
    'tcp',
    'Localhost',
    'POD_IP',
    'ETCD_DATA_DIR',
    'Bidirectional',
    'Managed',
  ],
  ...[
    'kube-apiserver',
    'apiserver-cert',
    'etcd-data',
    '/etc/karmada/pki',
    'ReadWriteOncePod',
    'runtime/default',
  ],
  ...[
    'sha256',
    'a@sha256',
    'a:v1@sha256',
    'f'.repeat(64),
    'localhost/../a',
    'iqn.2001-04.com:a',
    'iqn.x',
  ],
];

/** Strings that exceed limits in bytes. */
const HUGE = ['y'.repeat(300_000), 'é'.repeat(150_000)];

const NUMBERS = [
  ...[-1, 0, 1, 2, 3, 100, 101, 255, 256, 511, 512, 599, 65_535, 65_536, 106_752],
  ...[
    2_147_483_647,
    2_147_483_648,
    -2_147_483_648,
    4_294_967_297,
    Number.MAX_SAFE_INTEGER,
    1.5,
    1e21,
  ],
];

/** Strings that break careless code; some are valid for some fields. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 4, arbitrary: fc.string({ maxLength: 70 }) },
  { weight: 2, arbitrary: fc.string({ unit: codePoint, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
);

export const hostileNumber: fc.Arbitrary<number> = fc.constantFrom(...NUMBERS);
