/** What the workflow asks this worker to do. Temporal calls it again when it fails. */
export async function notify(text: string): Promise<void> {
  const { NOTIFY_URL } = process.env;
  if (!NOTIFY_URL) throw new Error('NOTIFY_URL is not set: an address that takes {"text": "…"}');
  const body = JSON.stringify({ text });
  const reply = await fetch(NOTIFY_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!reply.ok) throw new Error(`the receiver answers ${reply.status}`);
}
