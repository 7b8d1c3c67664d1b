import { useEffect, useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { isUnanswered, mayHelpAgain, retryAfterOf, sentenceOf } from '../api/failure.ts'
import { clockSecondsText, dayText, durationText } from '../core/time-text.ts'
import { texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'

/** Sentences for codes of the service that say more here than its own. */
const codes: Readonly<Record<string, string>> = texts.addresses.codes

/** The sentence for an error: that of its code, or the service's own, if there is one. */
export function failureText(error: HooklineError): string {
  if (isUnanswered(error)) return texts.failures.offline
  if (Object.hasOwn(codes, error.code)) return codes[error.code] ?? ''
  const said = sentenceOf(error)
  if (error.status === 429) return said || texts.failures.busyNow
  if (error.status === 401) return texts.failures.session
  if (error.status === 403) return said || texts.failures.forbidden
  if (error.status === 404) return texts.failures.gone
  return said || (error.status >= 500 ? texts.failures.down : texts.failures.refused)
}

/**
 * A part of a page that failed: what happened, a button that helps, and the code. There is no button if retrying cannot
 * help.
 */
export function Failed({
  error,
  again,
  what,
}: {
  error: HooklineError
  again?: () => void
  what?: string | undefined
}) {
  const at = Math.floor(Date.now() / 1000)
  const wait = useWait(error)
  const [asked, setAsked] = useState<HooklineError>()
  return (
    <div class="failed" role="alert" tabindex={-1}>
      <p class="state bad top">
        <Icon name="warning" />
        <span class="ink">
          {what && mayHelpAgain(error) ? `${texts.failures.part(what)} ` : ''}
          {wait > 0 ? texts.failures.busy(durationText(wait)) : failureText(error)}
        </span>
      </p>
      {again && mayHelpAgain(error) && (
        <button
          type="button"
          class="btn"
          onClick={() => {
            setAsked(error)
            again()
          }}
          disabled={wait > 0 || asked === error}
        >
          {asked === error ? texts.common.asking : texts.common.tryAgain}
        </button>
      )}
      <p class="quiet small code-line">
        {texts.failures.code(error.status, error.code, `${dayText(at)}, ${clockSecondsText(at)}`)}
      </p>
    </div>
  )
}

/** Seconds until the service accepts the request again. */
function useWait(error: HooklineError): number {
  const [left, setLeft] = useState(error.status === 429 ? retryAfterOf(error) : 0)
  useEffect(() => {
    setLeft(error.status === 429 ? retryAfterOf(error) : 0)
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000)
    return () => clearInterval(timer)
  }, [error])
  return left
}
