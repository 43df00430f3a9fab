import { convertLeadSuite } from './convert-lead.suite';

describe('convertLead against variant b of the unshown shapes', () => convertLeadSuite('b'));
