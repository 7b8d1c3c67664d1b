const MIN_MS = 50
/** Bytes that a reader receives in a millisecond at 40 MB/s. */
const BYTES_PER_MS = 40_000

/**
 * Waits until a reader should have content of so many bytes: copies to R2 and to the edge cache that are made while it
 * is sent slow both.
 */
export async function waitForDelivery(bytes: number): Promise<void> {
  await scheduler.wait(MIN_MS + bytes / BYTES_PER_MS)
}
