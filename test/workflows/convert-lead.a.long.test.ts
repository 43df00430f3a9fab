import { convertLeadSuite } from './convert-lead.suite';

convertLeadSuite('a', 'faults');
