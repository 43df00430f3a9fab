/** After the last test. */
export default async function down(): Promise<void> {
  const server = globalThis.testTemporalServer;
  globalThis.testTemporalServer = undefined;
  await server?.stop();
}
