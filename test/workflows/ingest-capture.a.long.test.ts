import { ingestCaptureSuite } from './ingest-capture.suite';

ingestCaptureSuite('a', 'faults');
