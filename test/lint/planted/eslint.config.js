import project from '../../../eslint.config.js';

/** The project's own rules, turned on the file that breaks one of them. */
const rules = project
  .filter((entry) => entry.rules !== undefined)
  .map((entry) => ({
    ...entry,
    languageOptions: {
      ...entry.languageOptions,
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
  }));

export default rules;
