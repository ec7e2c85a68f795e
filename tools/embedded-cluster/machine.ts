import { attempt } from './command.ts';
import { Failure } from './failure.ts';
import { requireLinuxOnX64 } from './platform.ts';

/** Required programs of the base system, with their Debian packages. */
const required: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  sysctl: 'procps',
};

/**
 * Checks the requirements of an embedded cluster that can be checked before it starts.
 * @throws Failure with what to do
 */
export async function checkMachine(): Promise<void> {
  requireLinuxOnX64('an embedded cluster');
  if (process.getuid?.() !== 0) {
    throw new Failure('an embedded cluster needs root', 'run the command as root (sudo npm run …)');
  }
  for (const [program, debianPackage] of Object.entries(required)) {
    const found = await attempt(['sh', '-c', 'command -v "$1"', 'sh', program]);
    if (found.code !== 0) {
      throw new Failure(`${program} is not installed`, `apt-get install ${debianPackage}`);
    }
  }
}
