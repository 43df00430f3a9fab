import { FIRST } from './operators/sample';
import { operatorsSuite } from './operators.suite';

operatorsSuite(FIRST);
