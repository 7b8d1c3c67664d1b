// After Miniflare's R2 (MIT, ../../LICENSE-miniflare).
import type { Condition } from './bucket-request.ts'

type Etags = NonNullable<Condition['etagMatches']>

function holdsEtag(etags: Etags, etag: string, comparison: 'strong' | 'weak'): boolean {
  return etags.some(
    (one) => one.type === 'wildcard' || (one.value === etag && (one.type === 'strong' || comparison === 'weak')),
  )
}

/** Whether a condition of R2 holds for an object (RFC 9110, 13.2.2); `uploaded` in ms; `undefined`: there is none. */
export function conditionHolds(condition: Condition, object: { etag: string; uploaded: number } | undefined): boolean {
  const { etagMatches, etagDoesNotMatch, uploadedBefore, uploadedAfter, secondsGranularity } = condition
  if (!object) return etagMatches === undefined && uploadedAfter === undefined
  const round = (ms: number): number => (secondsGranularity ? Math.floor(ms / 1000) * 1000 : ms)
  const uploaded = round(object.uploaded)
  const matches = etagMatches === undefined || holdsEtag(etagMatches, object.etag, 'strong')
  const differs = etagDoesNotMatch === undefined || !holdsEtag(etagDoesNotMatch, object.etag, 'weak')
  const modified =
    uploadedAfter === undefined || round(uploadedAfter) < uploaded || (etagDoesNotMatch !== undefined && differs)
  const unmodified =
    uploadedBefore === undefined || uploaded < round(uploadedBefore) || (etagMatches !== undefined && matches)
  return matches && differs && modified && unmodified
}
