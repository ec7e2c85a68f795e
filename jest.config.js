/** Settings shared by the three projects; TypeScript is stripped by swc, types are checked by tsc. */
const shared = {
  // Test files have other folders for temporary files, but share the cache.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: '<rootDir>/test/harness/temporary-folder.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        // Source maps within the code would be two thirds of what jest reads and compares for each test file.
        sourceMaps: true,
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/artifacts/'],
};

export default {
  // No test is about time: a slow machine must not fail one.
  testTimeout: 300_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/src/**/*.test.ts',
        '<rootDir>/scripts/**/*.test.ts',
        '<rootDir>/test/{bench,demo,docs,lint,harness,peer,stubs}/**/*.test.ts',
        '<rootDir>/tools/**/*.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'e2e',
      testEnvironment: '<rootDir>/test/harness/environment.mjs',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
    },
  ],
};
