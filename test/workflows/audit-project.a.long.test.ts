import { auditProjectSuite } from './audit-project.suite';

auditProjectSuite('a', 'faults');
