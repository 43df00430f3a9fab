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
import { control } from './shared/calls';

// ---- Types

/** What a worker tells of where the page is shown; what it does not know stays as it was. */
export interface PageFacts {
  /** Path under which the Web UI is served; empty at the root. */
  uiPath?: string | undefined;
}

export interface StartHereInput extends PageFacts {
  /** Continue as new after so many history events; at eleven an hour this is a week. @default 2000 */
  maxEvents?: number;
}

// ---- Messages

export const refreshSignal = defineSignal<[PageFacts?]>('refresh');

// ---- Workflow

/** Never ends. Its current details are the page; the examples that the page opens are renewed before they are lost. */
export async function startHere(before?: StartHereInput): Promise<void> {
  let facts: StartHereInput = { ...before };
  let asked = false;
  setHandler(
    refreshSignal,
    (said) => {
      facts = { ...facts, ...said };
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

function renewalDue({ maxEvents = 2_000 }: StartHereInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > maxEvents;
}
