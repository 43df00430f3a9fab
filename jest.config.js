/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  testTimeout: 180_000,
  maxWorkers: 2,
  // Of the tests of one file that are marked as concurrent: they wait far more than they work.
  maxConcurrency: 6,
};
