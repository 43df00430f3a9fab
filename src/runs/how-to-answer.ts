/** How a person answers a run that asks: by a click, or by a command that can be pasted. Pure. */
import { command } from '../text/command';

/** @param name of the command line, such as `approve` */
export const howToAnswer = (workflowId: string, updates: readonly string[], name: string): string =>
  `Answer with the update ${updates.map((update) => `\`${update}\``).join(' or ')}: in the Web UI under *More Actions*, *Send an Update*, or by \`${command(name, workflowId)}\`.`;
