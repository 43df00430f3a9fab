import { ingestCaptureSuite } from './ingest-capture.suite';

describe('ingestCapture against variant b of the unshown shapes', () => ingestCaptureSuite('b'));
