import { auditProjectSuite } from './audit-project.suite';

auditProjectSuite('b', 'all');
