/** What may be downloaded of the Temporal CLI. CONTRIBUTING.md, "Release", says how the hashes get here. */

/** By the CLI's version and by `process.platform-process.arch`: the SHA-256 of the executable in the published archive. */
export type Downloads = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** One that is not listed is trusted when it is first fetched. */
export const DOWNLOADS: Downloads = { '1.5.1': {} };

/** The hash that is listed for this platform. */
export const listedHash = (downloads: Downloads, version: string): string | undefined =>
  downloads[version]?.[`${process.platform}-${process.arch}`];
