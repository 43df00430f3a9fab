/** Runs a bench as a program: an error is shown and is the exit code. */
export function runBench(bench: () => Promise<void>): void {
  bench().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  });
}
