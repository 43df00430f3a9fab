// The tests of `npm run test:long`, which CI does not run.
const { LONG, running } = require('./test/tiers');

module.exports = running(LONG, { others: 'absent', atOnce: 2 });
