import type { Clock } from './clock';
import type { Settings } from './options';
import type { Random } from './random';
import type { Capture } from './rows';
import type { Webhooks } from './webhooks';

const ITEM_TYPES = ['action_item', 'decision', 'key_insight', 'contact_mention'] as const;

/**
 * The background job that takes items out of a capture: `pending` → `processing` → `processed`. A text with `[fails 2]`
 * fails in its first two extractions, one with `[review]` ends in `needs_review`.
 */
export class Extraction {
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly webhooks: Webhooks,
  ) {}

  /** Starts over, whatever state the capture is in; an extraction that is still going on has no effect any more. */
  start(capture: Capture): void {
    const attempt = ++capture.attempts;
    this.move(capture, 'pending');
    this.clock.after(this.settings.durations.extraction, () => {
      if (capture.attempts !== attempt) return;
      this.move(capture, 'processing');
      this.clock.after(this.settings.durations.extraction, () => {
        if (capture.attempts === attempt) this.finish(capture);
      });
    });
  }

  private finish(capture: Capture): void {
    const failures = Number(/\[fails (\d+)\]/.exec(capture.rawContent)?.[1] ?? 0);
    if (capture.attempts <= failures) this.move(capture, 'failed');
    else if (capture.rawContent.includes('[review]')) this.move(capture, 'needs_review');
    else this.succeed(capture);
  }

  private succeed(capture: Capture): void {
    capture.processedContent = capture.rawContent.trim();
    capture.items = ITEM_TYPES.map((itemType) => ({
      id: this.random.uuid(),
      captureId: capture.id,
      itemType,
      content: `${itemType}: ${capture.rawContent.slice(0, 80)}`,
      metadata: { confidence: 0.9 },
      createdAt: this.clock.iso(),
    }));
    capture.processingResults = { itemCount: capture.items.length };
    this.move(capture, 'processed');
    this.webhooks.emit(capture.userId, 'capture.processed', { captureId: capture.id });
  }

  private move(capture: Capture, status: Capture['status']): void {
    capture.status = status;
    capture.updatedAt = this.clock.iso();
  }
}
