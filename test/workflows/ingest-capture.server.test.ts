import { ingestCaptureSuite } from './ingest-capture.suite';

describe('ingestCapture against variant a of the unshown shapes', () => ingestCaptureSuite('a'));
