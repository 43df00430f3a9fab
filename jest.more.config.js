// `npm run test:more`: what needs a browser, Python, containers' tools, or minutes.
const { MORE, running } = require('./test/tiers');

module.exports = running(MORE, { others: 'absent' });
