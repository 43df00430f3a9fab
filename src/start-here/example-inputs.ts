/** The example inputs of the page `startHere`. */
import { isWorkflowName, WORKFLOW_TYPES } from '../runs/workflow-types';

/** The example of a type, as it stands in the start form. */
export const exampleInput = (type: string, account: string): Record<string, unknown> => ({
  account,
  ...(isWorkflowName(type) && WORKFLOW_TYPES[type].example),
});

/** The account that examples name: `default`, or else the first. */
export const exampleAccount = (names: Iterable<string>): string => {
  const [first = 'default', ...rest] = names;
  return rest.includes('default') ? 'default' : first;
};
