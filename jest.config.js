// `npm test`: what runs on any machine with Node and a Temporal server.
const { EVERYWHERE, running } = require('./test/tiers');

module.exports = running(EVERYWHERE);
