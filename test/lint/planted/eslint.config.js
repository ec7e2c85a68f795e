import project from '../../../eslint.config.js';

/** The rules of the project, applied to files that violate them. */
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
