// `npm run test:more`: what needs a browser, Python, containers' tools, or minutes.
const { MORE, running } = require('./test/tiers');

// Their tests have servers and processes of their own: with more at once, each waits for the processor.
module.exports = running(MORE, { others: 'absent', atOnce: 2 });
