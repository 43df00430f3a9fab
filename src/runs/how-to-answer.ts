/** How a person answers a run that asks: by a click, or by a command that can be pasted. Pure. */

/** Of an ID that a shell would take apart, or that ends code in Markdown, only its place is shown. */
const asArgument = (workflowId: string): string => (/^[\w.@:/+-]+$/.test(workflowId) ? workflowId : '<run>');

/** @param command of the command line, such as `approve` */
export const howToAnswer = (workflowId: string, updates: readonly string[], command: string): string =>
  `Answer with the update ${updates.map((update) => `\`${update}\``).join(' or ')}: in the Web UI under *More Actions*, *Send an Update*, or by \`npx audit-runner ${command} ${asArgument(workflowId)}\`.`;
