/** Descriptions and examples of all commands: for `--help` and docs/reference/cli.md. */
import type { Command } from 'commander';

interface CommandText {
  /** Heading of the list of commands. */
  readonly group: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** Meaning of each exit code, if it is more than success and error. */
  readonly exitCodes?: Readonly<Record<string, string>>;
}

const PLUGIN = 'This plugin:';

type TextOf = (
  summary: string,
  examples: readonly string[],
  exitCodes?: CommandText['exitCodes'],
) => CommandText;

const textsOf =
  (group: string): TextOf =>
  (summary, examples, exitCodes) => ({
    ...{ group, summary, examples },
    ...(exitCodes && { exitCodes }),
  });

const inspect = textsOf('Inspect control planes:');
const preview = textsOf('Prepare an installation or a change:');
const change = textsOf('Change control planes:');
const backups = textsOf('Back up and restore:');
const access = textsOf('Access control planes and join member clusters:');
const plugin = textsOf(PLUGIN);

const TEXTS: Readonly<Record<string, CommandText>> = {
  backup: backups('Back up a control plane, and wait until the backup is verified', [
    'backup demo -n team',
    'backup demo -n team --store main --no-wait',
  ]),
  backups: backups('List the backups of a namespace or of one control plane, the newest first', [
    'backups -n team',
    'backups demo -n team -o json',
  ]),
  restore: backups('Restore a backup: show what it replaces, ask, and follow the restore', [
    'restore demo-20260102t030405 -n team',
    'restore demo-20260102t030405 -n team --confirm 5f0c1d2e3f4a5b6c',
  ]),
  certificates: inspect(
    'List the certificates of a control plane, the one that expires first on top',
    ['certificates demo -n team'],
  ),
  check: preview(
    'Check before an installation or a change whether the host cluster can run a control plane',
    [
      'check -f karmada.yaml',
      `check demo -n team --patch '{"spec":{"version":"v1.18.2"}}'`,
      'check -f karmada.yaml -o json',
    ],
    {
      0: 'no check has failed; some may be skipped, or be warnings',
      1: 'an error: the Karmada or its host cluster cannot be read',
      2: 'a check has failed',
    },
  ),
  completion: plugin('Print a completion script for a shell', [
    'completion bash > /etc/bash_completion.d/kubectl-karmada_operator',
    'completion zsh > ~/.zsh/completions/_kubectl-karmada_operator',
    'completion fish > ~/.config/fish/completions/kubectl-karmada_operator.fish',
  ]),
  fleet: inspect('Summarize control planes: rollouts, failures, versions, and the slowest ten', [
    'fleet --all-namespaces',
    'fleet -n team -o json',
  ]),
  images: preview('List the images of a Karmada release, to copy them to a private registry', [
    'images v1.18.2',
    'images v1.18.2 --registry registry.example.com/karmada',
  ]),
  logs: inspect('Print the logs of all Pods of a component', [
    'logs demo karmada-scheduler -n team --follow --tail 20',
  ]),
  orphans: inspect('List control planes without a Karmada object, in all host clusters', [
    'orphans',
  ]),
  rotate: change(
    'Reissue certificates, or rotate CAs and keys: show which ones and which Pods restart, ask, and request it',
    [
      'rotate demo leaves -n team',
      'rotate demo apiserver etcd-peer -n team --follow',
      'rotate demo ca -n team --follow',
      'rotate demo etcd-ca front-proxy-ca -n team',
    ],
  ),
  upgrade: change('Upgrade a control plane: show what changes, ask, and follow the upgrade', [
    'upgrade demo v1.18.2 -n team',
    'upgrade demo v1.18.2 -n team --dry-run',
    'upgrade demo v1.18.2 -n team --yes --no-wait',
  ]),
  version: plugin('Print the versions of the plugin, the operator and Kubernetes', [
    'version',
    'version --client',
    'version -o json',
  ]),
  kubeconfig: access('Print the administrator kubeconfig of a control plane, or a tunnel to it', [
    'kubeconfig demo -n team > demo.kubeconfig',
    'kubeconfig demo -n team --merge',
    'kubeconfig demo -n team --proxy --file demo.kubeconfig',
    'kubeconfig demo -n team --proxy -- kubectl get clusters',
  ]),
  plan: preview(
    'Show what applying a Karmada would change: objects, order, Pod restarts, blocked changes',
    [
      'plan -f karmada.yaml',
      `plan demo -n team --patch '{"spec":{"version":"v1.18.2"}}'`,
      'plan -f karmada.yaml --exit-code -o json',
    ],
    {
      0: 'the preview is printed; with --exit-code only if the change has no effect',
      1: 'an error: the API server rejects the Karmada, or the preview is not possible',
      2: 'with --exit-code: the operator would change something, block a part, or reject a Secret',
    },
  ),
  propagation: backups(
    'Show what a control plane would change in its member clusters: the objects that it would create, change or remove, and orphaned ones',
    ['propagation demo -n team', 'propagation demo -n team -o json'],
  ),
  render: preview(
    'Print every object that the operator would create, without a cluster; certificates are placeholders',
    [
      'render -f karmada.yaml --default-storage-class',
      'render -f karmada.yaml -n team --no-crds',
      'render -f - --no-crds < karmada.yaml',
    ],
  ),
  report: inspect(
    'Write an archive for a bug report: objects, Events and logs, without values of Secrets',
    [
      'report demo -n team',
      'report demo -n team --file demo.tar.gz --since 2h',
      'report -n team --no-logs',
    ],
  ),
  status: inspect(
    'Show components, versions, certificates, etcd, upgrade, and what is wrong',
    [
      'status demo -n team',
      'status --all-namespaces',
      'status demo --watch',
      'status demo -n team --wait --timeout 15m',
    ],
    {
      0: 'the status is printed; with --wait only if it is Ready for the latest spec',
      1: 'an error, such as a Karmada that does not exist',
      2: 'with --wait: not Ready, and the operator waits for you',
      3: 'with --wait: not Ready before --timeout',
    },
  ),
  adopt: change(
    'Adopt a control plane of the Go operator: show which Pods restart, ask, and confirm it',
    ['adopt demo -n team', 'adopt demo -n team --yes'],
  ),
  join: access(
    'Print the commands that join a member cluster in push mode and in pull mode; changes nothing',
    [
      'join demo paris -n team',
      'join demo paris -n team --mode push --member-kubeconfig paris.yaml',
    ],
  ),
  recover: change('Recover from a loss: show what is lost, ask what to give up, and confirm it', [
    'recover demo -n team',
    'recover demo -n team --confirm demo-karmada-etcd-0/5f0c1d2e3f4a5b6c/481203',
  ]),
  restart: change(
    'Restart components: the operator replaces their Pods in the order of an upgrade',
    ['restart demo karmada-scheduler karmada-webhook -n team', 'restart demo --all'],
  ),
  resume: change('Let the operator change a suspended control plane again', [
    'resume demo -n team',
  ]),
  suspend: change(
    'Suspend a control plane: the operator changes nothing but processes a deletion',
    ['suspend demo -n team', 'suspend demo -n team --dry-run'],
  ),
};

/** Purpose of the program, also for krew. */
export const PROGRAM_SUMMARY = 'Inspect and change Karmada control planes';

/** Examples of a command, each with the name of the program. */
export const examplesOf = (command: Command): readonly string[] =>
  (TEXTS[command.name()]?.examples ?? []).map(
    (example) => `${command.parent?.name() ?? ''} ${example}`,
  );

/** Exit codes of a command that has more than two, each with its meaning. */
export const exitCodesOf = (command: Command): readonly (readonly [string, string])[] =>
  Object.entries(TEXTS[command.name()]?.exitCodes ?? {});

/** Sets descriptions, groups, exit codes, examples and the line below usage errors of a program and its commands. */
export function describeCommands(program: Command): void {
  program.description(`${PROGRAM_SUMMARY}.`);
  program.addHelpText(
    'after',
    `\nUse "${program.name()} COMMAND --help" for the flags, exit codes and examples of a command.`,
  );
  program.showHelpAfterError(`See '${program.name()} --help' for usage.`);
  for (const command of program.commands) {
    const path = `${program.name()} ${command.name()}`;
    const { summary = '', group = PLUGIN } = TEXTS[command.name()] ?? {};
    command.description(summary).helpGroup(group);
    command.showHelpAfterError(`See '${path} --help' for usage.`);
    addList(
      command,
      'Exit codes',
      exitCodesOf(command).map((row) => row.join('  ')),
    );
    addList(command, 'Examples', examplesOf(command));
  }
}

/** Adds a section below the help of a command. */
function addList(command: Command, title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  command.addHelpText('after', ['', `${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'));
}
