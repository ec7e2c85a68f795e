import { attempt } from './command.ts';
import { Failure } from './failure.ts';

/** Programs of a base system that the cluster is put together with, and the package that has them. */
const required: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
  sysctl: 'procps',
};

/**
 * Checks what an embedded cluster needs of the machine and that can be told beforehand.
 * @throws Failure with the remedy
 */
export async function checkMachine(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Failure(`this is ${process.platform} on ${process.arch}`, 'use Linux on x86-64');
  }
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
