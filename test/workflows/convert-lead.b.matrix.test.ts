import { convertLeadSuite } from './convert-lead.suite';

convertLeadSuite('b', 'all');
