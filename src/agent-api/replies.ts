/** Replies of which more is needed than a record or a list. */
import { list, record } from './record';
import { type Capture, type CaptureItem, kinds, type Lead } from './records';
import { describeKeys } from './shape';
import { FailedReply, type Reader, UnreadableBody } from './undocumented';

const oneCapture = record('capture', kinds.capture);
const itemsOf = list('items', kinds.captureItem);
/** agent-api.md, "GET /api/nucleus/captures/{id}": two records side by side; without a list there are no items. */
export const captureAndItems: Reader<{ capture: Capture & { status: string }; items: CaptureItem[] }> = (
  body,
  undocumented,
  about,
) => {
  const shown = oneCapture(body, undocumented, about);
  const { status } = shown;
  if (!status) throw new UnreadableBody(`it shows no status of the capture (${describeKeys(body)})`);
  const capture = { ...shown, status };
  try {
    return { capture, items: itemsOf(body, undocumented).items };
  } catch (error) {
    // An error beside a capture is the capture's.
    if (error instanceof FailedReply) return { capture, items: [] };
    if (error instanceof UnreadableBody && undocumented.lists.items === undefined) return { capture, items: [] };
    throw error;
  }
};

const anyLead = record('lead', kinds.lead);
/** agent-api.md, "GET /api/lead-generation/leads/{id}". S2: without its status nobody knows whether it is converted. */
export const leadWithStatus: Reader<Lead & { surveyStatus: string }> = (body, undocumented, about) => {
  const lead = anyLead(body, undocumented, about);
  const { surveyStatus } = lead;
  if (surveyStatus) return { ...lead, surveyStatus };
  throw new UnreadableBody(
    `it shows no surveyStatus, so nobody knows whether the lead is converted (${describeKeys(body)})`,
  );
};
