/** Types of platform.mjs, which Node.js 20 must be able to run. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Version of Node.js, such as `v26.12.1`. */
  readonly version: string;
}

export type NodeChoice =
  { readonly package: string } | { readonly own: true } | { readonly error: string };

export function nodeFor(machine: Machine, locked: string): NodeChoice;

export function outdatedNode(version: string, engines: string): string | undefined;

export type InstallLock =
  { readonly socket: string } | { readonly file: string; readonly flags: number };

export function installLock(
  platform: string,
  key: string,
  constants: Readonly<Record<'O_CREAT' | 'O_RDWR' | 'O_NONBLOCK', number>>,
): InstallLock;
