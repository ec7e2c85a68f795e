/** What the last words of a component mean, and what to do. Table and pure functions. */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Subject } from './cause.ts';

/** Meaning of a text. The remedy never comes from the text. */
export interface Meaning {
  readonly reason: Reason;
  /** What is wrong; absent if the text says it. */
  readonly what?: string;
  readonly remedy: string;
}

interface Rule {
  readonly pattern: RegExp;
  /** @returns undefined if the rule does not apply after all */
  readonly meaning: (groups: readonly string[], subject: Subject) => Meaning | undefined;
}

/** Directory of the etcd data in its container. */
const DATA_DIRECTORY = '/var/lib/etcd';

const NAME = String.raw`[\w.-]{1,100}`;

const rejected = (what: string | undefined, remedy: string): Meaning => ({
  reason: 'FlagRejected',
  remedy,
  ...(what !== undefined && { what }),
});

/** A flag that the operator sets itself is only unknown to an image of another release. */
function unknownFlag(flag: string, { field, flags }: Subject): Meaning {
  const remedy = flags.includes(flag)
    ? `remove ${flag} from ${field}.extraArgs`
    : `set an image of a supported version in ${field}.imageTag`;
  return rejected(`the program has no flag --${flag}`, remedy);
}

const FILE = String.raw`(\/[^\s:"',]{1,255}): `;

/** How to provide a directory that a flag names. Only the API server takes volumes of the user. */
function provide(path: string, what: string, { field, name, paths }: Subject): string {
  const correct = `correct the flag in ${field}.extraArgs that names it`;
  // A program that creates directories fails at the first one that does not exist, which may be far above the file.
  const named = paths().find((one) => one.startsWith(`${path}/`)) ?? path;
  const directory = named.slice(0, named.lastIndexOf('/'));
  // No volume can be mounted at the root.
  if (name !== 'karmada-apiserver' || directory === '') return correct;
  return `mount ${what} at ${directory} (${field}.extraVolumes and extraVolumeMounts), or ${correct}`;
}

function notWritable(path: string, cause: string, subject: Subject): Meaning {
  const { field, name } = subject;
  if (name === 'etcd' && path.startsWith(DATA_DIRECTORY)) return foreignVolume(path, cause, field);
  const remedy = isMounted(path, subject)
    ? 'the volume must be writable for the user of the container: set fsGroup in the podSecurityContext of spec.podSettings, or change the owner of its files'
    : provide(path, 'a writable volume, such as an emptyDir,', subject);
  return { reason: 'PathNotWritable', what: `${path}: ${cause}`, remedy };
}

/** NFS and some CSI drivers ignore the fsGroup of a Pod. */
function foreignVolume(path: string, cause: string, field: string): Meaning {
  return {
    reason: 'VolumeNotWritable',
    what: `${path}: ${cause}; the files of its volume do not belong to the user 65532 of the container`,
    remedy: `run chown -R 65532:65532 on the volume of ${field}.volumeData, use a StorageClass whose CSI driver supports fsGroup, or set runAsUser in the securityContext of spec.podSettings`,
  };
}

/** Whether a volume is mounted at the path or above it. */
function isMounted(path: string, { workload }: Subject): boolean {
  const { volumeMounts = [] } = workload?.spec.template.spec.containers[0] ?? {};
  return volumeMounts.some(
    ({ mountPath = '' }) =>
      path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, '')}/`),
  );
}

const FULL: Meaning = {
  reason: 'VolumeFull',
  what: 'no space is left on a volume or on the disk of the node',
  remedy: 'free space, or use a larger volume',
};

const RULES: readonly Rule[] = [
  {
    pattern: /unrecognized feature gate: ([A-Za-z0-9]{1,64})/,
    meaning: ([gate = ''], { field }) =>
      rejected(`the program has no feature gate ${gate}`, `remove it from ${field}.featureGates`),
  },
  {
    pattern:
      /cannot set feature gate ([A-Za-z0-9]{1,64}) to (true|false), feature is locked to (true|false)/,
    meaning: ([gate = '', , locked = ''], { field }) =>
      rejected(
        `the feature gate ${gate} is locked to ${locked}`,
        `remove it from ${field}.featureGates`,
      ),
  },
  {
    pattern: new RegExp(`unknown flag: -{1,2}(${NAME})`),
    meaning: ([flag = ''], subject) => unknownFlag(flag, subject),
  },
  {
    pattern: new RegExp(`flag provided but not defined: -{1,2}(${NAME})`),
    meaning: ([flag = ''], subject) => unknownFlag(flag, subject),
  },
  {
    pattern: new RegExp(
      `(?:invalid argument .{0,4000} for "(?:-\\w, )?|invalid value for flag )-{1,2}(${NAME})`,
    ),
    meaning: ([flag = ''], { field }) =>
      rejected(`the value of --${flag} is not valid`, `correct ${field}.extraArgs.${flag}`),
  },
  {
    pattern: new RegExp(`${FILE}(permission denied|read-only file system)`),
    meaning: ([path = '', cause = ''], subject) => notWritable(path, cause, subject),
  },
  {
    pattern: new RegExp(`${FILE}no such file or directory`),
    meaning: ([path = ''], subject) => ({
      reason: 'FileMissing',
      what: `the file ${path} does not exist in the container`,
      remedy: provide(path, 'a volume with it', subject),
    }),
  },
  { pattern: /no space left on device/, meaning: () => FULL },
  {
    pattern: /exec format error/i,
    meaning: (_, { field }) => ({
      reason: 'ImageOfOtherPlatform',
      what: 'the image is for another CPU architecture',
      remedy: `set an image for the architecture of the node in ${field}, or a node selector in spec.podSettings`,
    }),
  },
  {
    pattern: /listen tcp \S{0,80}:(\d{1,5}): bind: address already in use/,
    meaning: ([port = ''], { field }) =>
      rejected(
        `port ${port} is already in use in the Pod`,
        `use another port in ${field}.extraArgs or in its sidecar containers`,
      ),
  },
];

/** A text that names a flag of the user is about that flag. */
function ofNamedFlag(text: string, { field, flags }: Subject): Meaning | undefined {
  const named = new Set(text.match(new RegExp(`--${NAME}`, 'g'))?.map((flag) => flag.slice(2)));
  const [flag] = flags.filter((name) => named.has(name));
  return flag === undefined ? undefined : rejected(undefined, `correct ${field}.extraArgs.${flag}`);
}

/** Returns the meaning of a text; undefined if it is not known. */
export function meaningOf(text: string, subject: Subject): Meaning | undefined {
  for (const { pattern, meaning } of RULES) {
    const found = pattern.exec(text);
    const known = found === null ? undefined : meaning(found.slice(1), subject);
    if (known !== undefined) return known;
  }
  return ofNamedFlag(text, subject);
}
