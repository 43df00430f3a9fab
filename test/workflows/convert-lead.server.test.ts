import { convertLeadSuite } from './convert-lead.suite';

describe('convertLead against variant a of the unshown shapes', () => convertLeadSuite('a'));
