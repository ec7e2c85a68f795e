import tseslint from 'typescript-eslint';

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
    files: ['**/*.test.ts', 'test/**/*.ts', '**/*.generated.ts', 'scripts/docs/*-keys.ts'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  {
    files: ['**/main.ts', 'scripts/**/*.ts', 'test/embedded-cluster/**/*.ts', 'test/demo/**/*.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
);
