import { ingestCaptureSuite } from './ingest-capture.suite';

ingestCaptureSuite('b', 'all');
