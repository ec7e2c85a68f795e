import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { ASSERTIONS } from './scripts/lint/assertions.ts';
import { patternModifiers } from './scripts/lint/pattern-modifiers.ts';
import { rescannedText } from './scripts/lint/rescanned-text.ts';
import { typeAssertions } from './scripts/lint/type-assertions.ts';

/** Limits of the project's standards; generated files, tables and tests are excepted where noted. */
const limits = {
  complexity: ['error', 10],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  'max-lines': ['error', { max: 250, skipBlankLines: false, skipComments: false }],
  'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
};

/** Rules without type information. Those that need it are in `.oxlintrc.json`: oxlint needs a seventh of the time. */
const code = {
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/explicit-module-boundary-types': 'error',
  'no-restricted-properties': [
    'error',
    { object: 'process', property: 'exit', message: 'Only main.ts ends the process.' },
  ],
  eqeqeq: 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'no-console': 'error',
};

/** Regular expressions of the program read texts of users and other servers: their time is linear. */
const patterns = {
  'regexp/no-super-linear-backtracking': 'error',
  'regexp/no-super-linear-move': 'error',
  'operator/rescanned-text': 'error',
  'operator/pattern-modifiers': 'error',
  'regexp/no-dupe-disjunctions': 'error',
  'regexp/no-misleading-capturing-group': 'error',
  'regexp/no-misleading-unicode-character': 'error',
  'regexp/no-optional-assertion': 'error',
  'regexp/no-potentially-useless-backreference': 'error',
  'regexp/no-useless-assertions': 'error',
  'regexp/no-useless-lazy': 'error',
  'regexp/no-useless-quantifier': 'error',
  'regexp/optimal-quantifier-concatenation': 'error',
  'regexp/strict': 'error',
};

/** Rules of this project. */
const operator = {
  rules: {
    'rescanned-text': rescannedText,
    'pattern-modifiers': patternModifiers,
    'type-assertions': typeAssertions,
  },
};

/** Parsers of texts that users and other servers control. Each is called only within limits, which need one place. */
const parsers = {
  'no-restricted-properties': [
    ...code['no-restricted-properties'],
    { object: 'JSON', property: 'parse', message: 'Use parseJsonWithin of src/untrusted/.' },
  ],
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      paths: [
        {
          name: 'js-yaml',
          importNames: ['load', 'loadAll'],
          message: 'Use parseYamlWithin of src/untrusted/.',
        },
        {
          name: 'node:crypto',
          importNames: ['X509Certificate', 'createPrivateKey'],
          allowTypeImports: true,
          message: 'Use readCertificate and readPrivateKey of src/untrusted/.',
        },
        { name: '@rgrove/parse-xml', message: 'Use src/backup/stores/xml.ts.' },
        { name: '@bufbuild/protobuf/wire', message: 'Use src/etcd/wire-fields.ts.' },
        {
          name: 'tar-stream',
          importNames: ['extract'],
          message: 'Use src/controlplane/archive.ts.',
        },
        {
          name: 'node:zlib',
          importNames: ['createGunzip', 'createInflate', 'gunzip', 'gunzipSync', 'inflateSync'],
          message: 'Use src/controlplane/archive.ts.',
        },
        { name: 'node-forge/lib/asn1.js', message: 'Use src/pki/asn1.ts.' },
      ],
    },
  ],
};

/** The readers, and modules that parse only what this project has written. */
const READERS = [
  'src/untrusted/{documents,x509}.ts',
  'src/controlplane/archive.ts',
  'src/etcd/{dial,messages,requests,wire-fields}.ts',
  'src/backup/stores/xml.ts',
  'src/pki/asn1.ts',
  'src/kubernetes/client/errors.ts',
  'src/http/secure-metrics/certificates.ts',
  'src/backup-job.ts',
  'src/operator/{logging,operator-process}.ts',
  'src/backup/job/stages.ts',
  'src/components/render.ts',
  'src/features/status/status-writer.ts',
  'src/cli/read-yaml.ts',
  'src/cli/program/structured.ts',
  'src/cli/report/report-files.ts',
];

/** Tests and what only they use. */
const TESTS = ['**/*.test.ts', '**/__fixtures__/**', '**/*.fixture.ts', '**/fixture.test-data.ts'];

/** Modules that read such objects otherwise, and why that is no decision on a foreign object. */
const READS_BY_NAME = [
  // A ConfigMap in the control plane, which its API servers write.
  'src/features/rotation/read-shared-trust.ts',
  // Define the rule.
  'src/instance/own-objects.ts',
  // Recognize objects of the Go operator by their content.
  'src/features/adoption/read-adoption.ts',
  'src/controllers/karmada/deletion/await-confirmation.ts',
  // Read Secrets that a user references, with the consent of their owner.
  'src/features/secret-grants/secret-warnings.ts',
  'src/features/external-etcd/client-secret-copy.ts',
  'src/features/remote-host/pull-secrets.ts',
  // Compare the UID with that of an object of the control plane, or of the owner.
  'src/features/etcd-members/read-live.ts',
  'src/features/etcd-bootstrap/grow-storage.ts',
  'src/features/etcd-upkeep/run-upkeep.ts',
  'src/features/rollback/write-record.ts',
  'src/controllers/karmada/deletion/revoke-member-access.ts',
  'src/features/etcd-recovery/backup-source.ts',
  // Compare the owner, or count only the existence.
  'src/controllers/backups/pods/{backup-executors,copied-access}.ts',
  'src/controllers/backups/backup/reconcile-backup.ts',
  'src/features/etcd-storage/replace-storage.ts',
  'src/features/certificates/existing-data.ts',
];

/** A list as long as a number in the input fills the memory: that of replicas, or of a version. */
const LIST_OF_A_LENGTH = {
  selector:
    "CallExpression[callee.object.name='Array'][callee.property.name='from'] > ObjectExpression > Property[key.name='length']",
  message: 'Use ordinalsBelow of src/untrusted/ordinals.ts.',
};

export default tseslint.config(
  {
    ignores: ['node_modules/**', 'dist/**', 'coverage/**', 'artifacts/**', 'test/lint/planted/**'],
  },
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: { ...limits, ...code },
  },
  {
    files: ['src/**/*.ts'],
    ignores: TESTS,
    plugins: { regexp, operator },
    rules: patterns,
  },
  {
    files: ['{scripts,src,tools}/**/*.ts'],
    ignores: [...TESTS, '**/*.generated.ts'],
    plugins: { operator },
    rules: { 'operator/type-assertions': 'error' },
  },
  ...Object.entries(ASSERTIONS).map(([file, count]) => ({
    files: [file],
    rules: { 'operator/type-assertions': ['error', count] },
  })),
  { files: ['src/**/*.ts'], ignores: [...TESTS, ...READERS], rules: parsers },
  {
    // Commands print only through the writer of src/cli/program/safe-output.ts, which removes terminal control sequences.
    files: ['src/cli/**/*.ts'],
    ignores: TESTS,
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'console'].map((name) => ({ name, message: 'Use the environment.' })),
      ],
      'no-restricted-imports': ['error', 'node:process', 'node:console', 'process', 'console'],
    },
  },
  {
    // Decisions on what a spec and servers state, which the rule below includes too.
    files: ['src/{api,assessment,cli,components,host-clusters,member-clusters}/**/*.ts'],
    ignores: [
      ...TESTS,
      'src/cli/{fields,program}/**',
      'src/member-clusters/difference/in-parallel.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', LIST_OF_A_LENGTH] },
  },
  {
    files: READS_BY_NAME,
    rules: { 'no-restricted-syntax': ['error', LIST_OF_A_LENGTH] },
  },
  {
    // Objects of a control plane: a name is no proof (src/instance/own-objects.ts).
    files: ['src/{actions,controllers,etcd-cluster,features,instance}/**/*.ts'],
    ignores: ['**/*.test.ts', '**/__fixtures__/**', ...READS_BY_NAME],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.property.name=/^(find|get)$/][arguments.0.object.name='resources'][arguments.0.property.name=/^(Secret|ConfigMap|StatefulSet|Deployment|Service)$/]",
          message: 'Read objects of a control plane with findOwn of own-objects.ts.',
        },
        LIST_OF_A_LENGTH,
      ],
    },
  },
  {
    files: ['**/*.test.ts', '{test,tools}/**/*.ts', '**/*.generated.ts', 'scripts/docs/*-keys.ts'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  {
    files: ['**/main.ts', 'scripts/**/*.ts', 'tools/embedded-cluster/**/*.ts', 'test/demo/**/*.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
);
