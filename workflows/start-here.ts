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
import { goesOnWithCurrentBuild } from './shared/versioned';

const MAX_EVENTS = 2_000;

// ---- Types

export interface StartHereInput {
  /** Continue as new after so many history events; at eleven an hour this is a week. @default 2000 */
  maxEvents?: number | undefined;
}

/** Whoever reaches Temporal may say anything; what is no number is not taken. */
const Input = z
  .object({
    maxEvents: z.int().min(20).max(MAX_EVENTS).optional().catch(undefined),
  })
  .catch({});

// ---- Messages

export const refreshSignal = defineSignal('refresh');

// ---- Workflow

goesOnWithCurrentBuild(startHere);

/** Never ends. Its current details are the page; the examples that the page opens are renewed before they are lost. */
export async function startHere(before?: StartHereInput): Promise<void> {
  const input: StartHereInput = Input.parse(before);
  let asked = false;
  setHandler(
    refreshSignal,
    () => {
      asked = true;
    },
    { description: 'Internal: sent by workers; writes the page anew.' },
  );
  setCurrentDetails('The page is being written: press R in a moment.');
  while (!renewalDue(input)) {
    asked = false;
    const { page, againInMs } = await control.renewExamples({});
    setCurrentDetails(page);
    await condition(() => asked, againInMs);
  }
  await condition(allHandlersFinished);
  await continueAsNew<typeof startHere>(input);
}

// ---- Helpers

function renewalDue({ maxEvents = MAX_EVENTS }: StartHereInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > maxEvents;
}
