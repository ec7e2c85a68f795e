/** Text of the file README.txt in a report. Pure. */

interface ReadmeFacts {
  /** RFC 3339. */
  readonly time: string;
  /** What could not be read, and why. */
  readonly omissions: readonly string[];
  /** Whether the report contains logs. */
  readonly logs: boolean;
}

const CONTENT = `This report describes Karmada control planes for a bug report.

versions.txt         versions of the plugin, the operator and Kubernetes
NAME/status.txt      output of the command status
NAME/karmada.yaml    the Karmada object with its status
NAME/*.yaml          objects, Events and backups of the control plane
NAME/logs/POD/       logs of its containers; .previous.log before the last restart
operator/            Deployment, Pods and logs of the operator

Secrets are described by name, type, keys, sizes and the public part of certificates. Objects show
only known fields. Values that users choose freely are "(redacted)": arguments, environment
variables, annotations, ConfigMaps. Values of Secrets, tokens, keys and passwords are removed from
logs, Events and messages. Names of objects, addresses and images are shown.

Text in logs can contain a secret in a form that no program recognizes. Check the logs before you
share the report.
`;

/** Returns the text. */
export function readmeText({ time, omissions, logs }: ReadmeFacts): string {
  const omitted = [...(logs ? [] : ['logs: omitted by --no-logs']), ...omissions];
  const secrets = omissions.some((note) => note.startsWith('secrets'))
    ? '\nSecrets could not be read, so their values were not compared with other texts.\n'
    : '';
  const list =
    omitted.length === 0 ? 'Everything could be read.\n' : `Not read:\n${lines(omitted)}`;
  return `${CONTENT}${secrets}\nTime: ${time}\n${list}`;
}

const lines = (all: readonly string[]): string => all.map((line) => `- ${line}\n`).join('');
