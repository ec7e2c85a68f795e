// Filter for jest: runs only the test files that the test command selected. The list is an environment variable,
// because it is too long for the command line. Jest loads this file with require().
const { relative } = require('node:path');

const chosen = new Set(JSON.parse(process.env.KARMADA_TEST_FILES ?? '[]'));

module.exports = (paths) => ({
  filtered: paths.filter((path) => chosen.has(relative(process.cwd(), path))),
});
