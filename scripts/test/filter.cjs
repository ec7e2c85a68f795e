// Lets jest run the test files that the test command chose, without naming each on its command line. Jest loads it with
// require().
const { relative } = require('node:path');

const chosen = new Set(JSON.parse(process.env.KARMADA_TEST_FILES ?? '[]'));

module.exports = (paths) => ({
  filtered: paths.filter((path) => chosen.has(relative(process.cwd(), path))),
});
