const DAY = 86_400_000

/** Objects looked at in a run, of each prefix. */
const PAGE = 500

/** How far back most runs begin to look; the others begin at the oldest. */
const WINDOW = 30 * DAY

/**
 * R2 keys a day old or older, for a sweep: a younger object may belong to what is being made. Looks at one page from
 * a random place on, so that no place has to be remembered; `random` is from 0 to 1. Behind `prefix` the keys begin
 * with an object id, and so with a time: a page is a stretch of time.
 */
export async function listOldObjects(bucket: R2Bucket, prefix: string, now: number, random: number): Promise<string[]> {
  const since = now - random * WINDOW * 1.25
  const start = since < now - WINDOW ? '' : Math.floor(since / 1000).toString(16)
  const { objects } = await bucket.list({ prefix, startAfter: prefix + start, limit: PAGE })
  return objects.filter(({ uploaded }) => uploaded.getTime() < now - DAY).map(({ key }) => key)
}
