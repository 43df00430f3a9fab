import type { Sandbox } from '../../src/sandbox';
import { call, first, sandboxOf, until } from './helpers';

const async = (id: string) => `/api/agent/projects/${id}/audit-analysis/async`;
const analysis = (id: string) => `/api/projects/${id}/audit-analysis`;

function form(content: Blob, name = 'report.txt') {
  const data = new FormData();
  data.append('file', content, name);
  return { form: data };
}

const upload = (sandbox: Sandbox, id: string, content = new Blob(['hello'], { type: 'text/plain' })) =>
  call(sandbox, 'POST', `/api/agent/projects/${id}/documents`, form(content));
const detail = (sandbox: Sandbox, id: string) => sandbox.control.projects().find((project) => project.id === id);

async function readyProject(sandbox: Sandbox): Promise<string> {
  const { id } = first(sandbox.control.projects());
  expect((await upload(sandbox, id)).status).toBe(201);
  sandbox.control.completeInterviews({ projectId: id });
  await until(() => detail(sandbox, id)?.hasAnalysis);
  return id;
}

describe('documents', () => {
  it('take a while until they are uploaded, and another until the project has its analysis', async () => {
    const sandbox = await sandboxOf({ durations: { upload: 80, documentAnalysis: 80 } });
    const { id } = first(sandbox.control.projects());
    const answer = await upload(sandbox, id);
    expect(answer.body).toMatchObject({
      document: { fileName: 'report.txt', fileType: 'text/plain', fileSize: 5, uploadStatus: 'pending' },
    });
    await until(() => detail(sandbox, id)?.documents[0]?.uploadStatus === 'uploaded');
    expect(detail(sandbox, id)?.hasAnalysis).toBe(false);
    await until(() => detail(sandbox, id)?.hasAnalysis);
  });

  it('arrive whole, whatever they contain and however large, and are counted when they come twice', async () => {
    const sandbox = await sandboxOf();
    const { id } = first(sandbox.control.projects());
    const content = Buffer.alloc(5_000_000, '\r\n--\r\n--boundary\r\n\r\n');
    for (let count = 0; count < 2; count++) {
      const answer = await upload(sandbox, id, new Blob([content]));
      expect(answer.body).toMatchObject({ document: { fileSize: content.length } });
    }
    await upload(sandbox, id, new Blob([content, 'x']));
    expect(sandbox.control.stats().documentsDoubled).toEqual([
      expect.objectContaining({ projectId: id, fileName: 'report.txt', times: 2 }),
    ]);
  });

  it('are refused with 413 above the limit and with 400 in the wrong form, as JSON', async () => {
    const sandbox = await sandboxOf({ documentLimit: 1000 });
    const { id } = first(sandbox.control.projects());
    const path = `/api/agent/projects/${id}/documents`;
    expect((await upload(sandbox, id, new Blob([Buffer.alloc(5_000_000)]))).status).toBe(413);
    expect((await call(sandbox, 'POST', path, { body: {} })).status).toBe(400);
    const other = new FormData();
    other.append('document', new Blob(['x']), 'x.txt');
    expect((await call(sandbox, 'POST', path, { form: other })).status).toBe(400);
    expect(detail(sandbox, id)?.documentsCount).toBe(0);
  });
});

describe('an audit', () => {
  it('needs the document analysis and the interviews, and says what is missing', async () => {
    const sandbox = await sandboxOf();
    const { id } = first(sandbox.control.projects());
    const refused = await call(sandbox, 'POST', async(id));
    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({ error: 'Missing prerequisites: document analysis, interview analysis' });
    await readyProject(sandbox);
    expect((await call(sandbox, 'POST', async(id))).status).toBe(202);
  });

  it('is refused in variant b with a status and a code of its own', async () => {
    const sandbox = await sandboxOf({ variant: 'b' });
    const refused = await call(sandbox, 'POST', async(first(sandbox.control.projects()).id));
    expect(refused).toMatchObject({ status: 422, body: { code: 'PREREQUISITES_MISSING' } });
  });

  it('gets its interviews by itself when they are given a duration', async () => {
    const sandbox = await sandboxOf({ durations: { interviewAnalysis: 10 } });
    await call(sandbox, 'POST', '/api/projects', { body: { clientName: 'Acme' } });
    await until(() => sandbox.control.projects().at(-1)?.hasInterviewAnalysis);
  });

  it('runs as a job, is running until then, and yields opportunities and deliverables', async () => {
    const sandbox = await sandboxOf();
    const id = await readyProject(sandbox);
    sandbox.control.setBackgroundWork({ stands: true });
    expect((await call(sandbox, 'GET', analysis(id))).status).toBe(404);
    expect((await call(sandbox, 'GET', `/api/projects/${id}/deliverables`)).status).toBe(404);
    const { text } = await call(sandbox, 'POST', async(id));
    const job = `/api/agent/jobs/${/"jobId":"([^"]+)"/.exec(text)?.[1]}`;
    expect((await call(sandbox, 'GET', job)).body).toMatchObject({ status: 'running' });
    expect((await call(sandbox, 'GET', analysis(id))).body).toMatchObject({ status: 'running' });
    sandbox.control.setBackgroundWork({ stands: false });
    await until(async () => (await call(sandbox, 'GET', job)).text.includes('"status":"complete"'));
    expect((await call(sandbox, 'GET', analysis(id))).body).toMatchObject({
      status: 'complete',
      executiveSummary: expect.stringContaining('&'),
      opportunityCount: 8,
      riskCount: 3,
    });
    expect((await call(sandbox, 'GET', `/api/projects/${id}/deliverables`)).body).toMatchObject({
      success: true,
      data: { projectId: id, isComplete: true, generatedAt: expect.any(String) },
    });
    expect(detail(sandbox, id)).toMatchObject({ status: 'complete', hasAuditAnalysis: true, hasDeliverables: true });
  });

  it('has each opportunity in exactly one category', async () => {
    const sandbox = await sandboxOf();
    const id = await readyProject(sandbox);
    await call(sandbox, 'POST', analysis(id));
    const titles = async (query: string) => {
      const { text } = await call(sandbox, 'GET', `/api/projects/${id}/opportunities${query}`);
      return [...text.matchAll(/"id":"([^"]+)"/g)].map(([, one]) => one);
    };
    const categories = ['quick_wins', 'big_swings', 'nice_to_haves', 'deprioritize'];
    const parts = await Promise.all(categories.map((category) => titles(`?category=${category}`)));
    expect(parts.flat().sort()).toEqual((await titles('')).sort());
    expect((await call(sandbox, 'GET', `/api/projects/${id}/opportunities?category=all`)).status).toBe(400);
  });

  it('fails when told to, once', async () => {
    const sandbox = await sandboxOf();
    const id = await readyProject(sandbox);
    sandbox.control.failNextJob();
    await call(sandbox, 'POST', async(id));
    await until(async () => (await call(sandbox, 'GET', analysis(id))).text.includes('"status":"failed"'));
    await call(sandbox, 'POST', async(id));
    await until(async () => (await call(sandbox, 'GET', analysis(id))).text.includes('"status":"complete"'));
  });

  it('runs a second time next to the first when asked again, and the statistics show it', async () => {
    const sandbox = await sandboxOf({ durations: { audit: 10_000 } });
    const id = await readyProject(sandbox);
    for (let count = 0; count < 2; count++) expect((await call(sandbox, 'POST', async(id))).status).toBe(202);
    expect(sandbox.control.stats().runningAnalyses).toEqual({ [id]: 2 });
  });

  it("is refused with 403 without a code at the plan's limit for one project", async () => {
    const sandbox = await sandboxOf({ analysesPerProject: 1 });
    const id = await readyProject(sandbox);
    expect((await call(sandbox, 'POST', analysis(id))).status).toBe(200);
    const refused = await call(sandbox, 'POST', async(id));
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({ error: expect.any(String) });
  });

  it.each([
    ['a', 408, 'completes', 'complete'],
    ['a', 408, 'fails', 'failed'],
    ['b', 504, 'completes', 'complete'],
  ] as const)('in variant %s answers %i after 180 seconds and then %s', async (variant, status, timedOutAudit, end) => {
    const sandbox = await sandboxOf({ variant, timedOutAudit, speed: 3000, durations: { audit: 300_000 } });
    const { id } = first(sandbox.control.projects());
    // Twice takes longer than one audit, so a first one that ended twice would show.
    for (let count = 0; count < 2; count++) expect((await call(sandbox, 'POST', analysis(id))).status).toBe(status);
    const statusNow = async () => /"status":"(\w+)"/.exec((await call(sandbox, 'GET', analysis(id))).text)?.[1];
    expect(await until(async () => ((await statusNow()) === 'running' ? undefined : statusNow()))).toBe(end);
  });
});
