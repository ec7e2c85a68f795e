import { Failure } from './failure.ts';

/**
 * Checks that a program can run on this platform, which needs Linux on x86-64: the binaries of clusters and of the
 * operator image are built for it.
 * @param subject what needs the platform, such as `an embedded cluster`
 * @param machine platform and processor architecture
 * @throws Failure that names both
 */
export function requireLinuxOnX64(
  subject: string,
  machine: Readonly<Pick<NodeJS.Process, 'platform' | 'arch'>> = process,
): void {
  const { platform, arch } = machine;
  if (platform === 'linux' && arch === 'x64') return;
  throw new Failure(
    `${subject} needs Linux on x86-64, and this is ${platform} on ${arch}`,
    'use such a machine; `npm run check` runs here',
  );
}
