/** At the end of a run: which tiers counted as skipped, and what would make them run. */
module.exports = class SkippedReporter {
  onRunComplete(contexts) {
    for (const { config } of contexts) {
      const { needs, command } = config.testEnvironmentOptions;
      if (needs)
        process.stderr.write(`skipped: ${config.displayName.name}, which ${needs}; run it with: npm run ${command}\n`);
    }
  }
};
