/**
 * The tiers of the tests. The end of a file's name says which it belongs to: `*.server.test.ts`, `*.s3.test.ts` and so on;
 * `*.test.ts` without such a word is of the tier `unit`. `npm test` runs `unit` and `server`, which need nothing but Node
 * and a Temporal server; in it the others count as skipped. `npm run test:more` runs the others, `npm run test:long` the last.
 */
const { availableParallelism } = require('node:os');

const TIERS = {
  /** Pure functions, the client against the sandbox: no Temporal. */
  unit: {},
  /** Workflows, activities and the command line on a real Temporal server, with a namespace for each test that opens a stage. */
  server: { temporal: true },
  /** Temporal servers and worker processes of a test's own, many of which are killed. */
  crash: { temporal: true, needs: 'takes minutes' },
  /** Every fault of every call that pays or sends, against both variants of the shapes that the API document does not show. */
  matrix: { temporal: true, needs: 'takes minutes' },
  /** What people look at. */
  browser: { temporal: true, needs: 'needs Chromium on the PATH' },
  /** The storage against a server that speaks the S3 protocol. */
  s3: { temporal: true, needs: 'needs Python 3 with venv' },
  /** Container image, compose file, Prometheus's rules. */
  deploy: { needs: 'needs docker-compose, hadolint, kubernetes-validate and promtool on the PATH' },
  /** The Temporal server of docker-compose.yml on PostgreSQL, as programs of this machine. */
  topology: { needs: 'needs Go, PostgreSQL and openssl' },
  /** The packed package, installed into an empty folder. */
  package: { temporal: true, needs: 'needs the npm registry' },
  /** More of what the tier `crash` has one or two of. */
  long: { temporal: true, needs: 'takes three quarters of an hour', command: 'test:long' },
};

const EVERYWHERE = ['unit', 'server'];
const LONG = ['long'];
const NAMED = Object.keys(TIERS).filter((name) => name !== 'unit');

const filesOf = (name) =>
  name === 'unit' ? ['**/*.test.ts', ...NAMED.map((other) => `!**/*.${other}.test.ts`)] : [`**/*.${name}.test.ts`];

/** @returns {import('jest').Config} what runs these tiers; of the others every test counts as skipped */
exports.running = (tiers, { others = 'skipped', atOnce = 4 } = {}) => ({
  projects: Object.entries(TIERS)
    .filter(([name]) => tiers.includes(name) || others === 'skipped')
    .map(([name, { temporal = false, needs, command = 'test:more' }]) => ({
      displayName: name,
      roots: ['<rootDir>/test'],
      testMatch: filesOf(name),
      transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
      ...(tiers.includes(name)
        ? {
            testEnvironment: '<rootDir>/test/support/environment.ts',
            ...(temporal && {
              globalSetup: '<rootDir>/test/support/temporal-up.ts',
              globalTeardown: '<rootDir>/test/support/temporal-down.ts',
            }),
          }
        : { testEnvironment: '<rootDir>/test/support/skips.ts', testEnvironmentOptions: { needs, command } }),
    })),
  testSequencer: '<rootDir>/test/support/sequencer.js',
  reporters: ['default', '<rootDir>/test/support/skipped-reporter.js'],
  testTimeout: 180_000,
  // A file that runs alone keeps a core busy, with the server's share of it. With more files than cores each takes longer, and
  // what they wait for comes later.
  maxWorkers: Math.min(Math.max(availableParallelism(), 2), 8),
  // Of the tests of one file that are marked as concurrent.
  maxConcurrency: atOnce,
});

exports.EVERYWHERE = EVERYWHERE;
exports.LONG = LONG;
exports.MORE = Object.keys(TIERS).filter((name) => !EVERYWHERE.includes(name) && !LONG.includes(name));
