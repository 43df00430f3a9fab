/** The page of the Web UI from which people start runs. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { z } from 'zod';
import { control } from './shared/calls';

const MAX_EVENTS = 2_000;

// ---- Types

/** What a worker tells of where the page is shown; what it does not know stays as it was. */
export interface PageFacts {
  /** Path under which the Web UI is served; empty at the root. */
  uiPath?: string | undefined;
}

export interface StartHereInput extends PageFacts {
  /** Continue as new after so many history events; at eleven an hour this is a week. @default 2000 */
  maxEvents?: number | undefined;
}

/** Whoever reaches Temporal may say anything; what is no path or no number is not taken. */
const Facts = z
  .object({
    uiPath: z
      .string()
      .max(200)
      .regex(/^(\/[\w.~-]+)*$/)
      .optional()
      .catch(undefined),
    maxEvents: z.int().min(20).max(MAX_EVENTS).optional().catch(undefined),
  })
  .catch({});

// ---- Messages

export const refreshSignal = defineSignal<[PageFacts?]>('refresh');

// ---- Workflow

/** Never ends. Its current details are the page; the examples that the page opens are renewed before they are lost. */
export async function startHere(before?: StartHereInput): Promise<void> {
  let facts: StartHereInput = Facts.parse(before);
  let asked = false;
  setHandler(
    refreshSignal,
    (said) => {
      const { uiPath = facts.uiPath } = Facts.parse(said);
      facts = { ...facts, uiPath };
      asked = true;
    },
    { description: 'Writes the page anew: {}' },
  );
  setCurrentDetails('The page is being written: press R in a moment.');
  while (!renewalDue(facts)) {
    asked = false;
    const { page, againInMs } = await control.renewExamples({ uiPath: facts.uiPath });
    setCurrentDetails(page);
    await condition(() => asked, againInMs);
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof startHere>(facts);
}

// ---- Helpers

function renewalDue({ maxEvents = MAX_EVENTS }: StartHereInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > maxEvents;
}
