/** @takes 200 s */
import { OTHERS } from './operators/sample';
import { operatorsSuite } from './operators.suite';

operatorsSuite(OTHERS);
