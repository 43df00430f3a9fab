/** Makes one call of the API that has no workflow of its own, within the limits, and keeps the reply. */
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { CallPlan, Replied, StoredReply } from '../activities/any-call';
import { CallApiInput, type CallApiJson } from '../src/inputs/call-api';
import { summaries } from '../src/runs/summaries';
import { searchAttributeKeys } from '../src/temporal/search-attribute-keys';
import { linkToDocument } from '../src/text/links';
import { md } from '../src/text/md';
import type { End } from './call/call-run';
import { callOnce } from './call/once';
import { callRepeatable } from './call/repeatable';
import { Asker } from './shared/asker';
import { control, factsOf, fairnessKey, runKey } from './shared/calls';
import { allAnswered } from './shared/kept-acts';
import { readInputWith } from './shared/read-input';
import type { Answered } from './shared/said';
import { creditsSpent, identity, Status } from './shared/status';

// ---- Types

/** The reply itself is in the storage: it may hold personal data (S4). */
export interface CallApiResult extends Omit<End, 'replied'>, Partial<StoredReply>, Pick<Replied, 'summary'> {
  route: string;
  /** What people answered, when the run asked. */
  answers?: Answered[];
}

// ---- Workflow

/** The envelope is checked here, the rest by an activity: the table of routes does not belong into workflows. */
export async function callApi(raw: CallApiJson): Promise<CallApiResult> {
  const status = new Status();
  status.step('looking', 'Checking the call');
  const run = runKey();
  const checked: { plan?: CallPlan } = {};
  const input = await readInputWith(CallApiInput, raw, 'callApi', async () => {
    const { problems, plan } = await control.planCall({ run });
    if (plan) checked.plan = plan;
    return problems;
  });
  const { plan } = checked;
  if (!plan) throw new TypeError('a call that was checked has a plan');
  const { account, route, id } = input;
  status.about(summaries.callApi(input), account);
  const asker = new Asker(status, input, 'the call');
  upsertSearchAttributes(identity(account, ...recordOf(route, id)));
  const at = {
    ...{ input, plan, status, asker, run },
    facts: await factsOf(account),
    place: { priorityKey: input.priority, fairnessKey: fairnessKey(run) },
    name: id === undefined ? route : `${route} ${id}`,
  };
  const { replied, ...end } = await (plan.once ? callOnce(at) : callRepeatable(at));
  if (end.credits > 0) upsertSearchAttributes([creditsSpent(end.credits)]);
  status.step(end.outcome, end.sentence);
  status.figures(replied?.reply && md`Reply: ${linkToDocument(replied.reply.url, 'as it came')}`);
  await allAnswered();
  const { answers } = asker;
  return {
    ...{ route, ...(replied?.status !== undefined && { status: replied.status }), ...end, ...replied?.reply },
    ...(replied?.summary && { summary: replied.summary }),
    ...(answers.length > 0 && { answers }),
  };
}

// ---- Helpers

const RECORDS = {
  leads: searchAttributeKeys.leadId,
  projects: searchAttributeKeys.projectId,
  captures: searchAttributeKeys.captureId,
};

/** The record that the run is about, for lists of runs. */
function recordOf(route: string, id: string | undefined) {
  const kind = route.split('.')[0];
  const key = Object.entries(RECORDS).find(([name]) => name === kind)?.[1];
  return key && id !== undefined ? [{ key, value: id }] : [];
}
